package restmapper

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/discovery"
)

// lazy is the implementation of Lazy.
type lazy struct {
	client   discovery.DiscoveryInterfaceWithContext
	interval time.Duration

	mu     sync.Mutex
	groups map[string]*entry
	all    *entry
}

func (l *lazy) ResetWithContext(context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.groups = map[string]*entry{}
	l.all = newEntry(l.readEverything)
}

func (l *lazy) everything() *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

func (l *lazy) group(name string) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.groups[name]
	if e == nil {
		l.forgetMissing()
		e = newEntry(func(ctx context.Context, before *reading) *reading { return l.readGroup(ctx, name, before) })
		l.groups[name] = e
	}
	return e
}

// forgetMissing limits the number of remembered groups that never existed.
func (l *lazy) forgetMissing() {
	for name, e := range l.groups {
		if r := e.last.Load(); r != nil && len(r.groups) == 0 && time.Since(r.at) >= l.interval {
			delete(l.groups, name)
		}
	}
}

// groupNames returns the groups that were read and exist.
func (l *lazy) groupNames() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var names []string
	for name, e := range l.groups {
		if e.exists() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (l *lazy) readEverything(ctx context.Context, before *reading) *reading {
	groups, lists, err := l.client.ServerGroupsAndResourcesWithContext(ctx)
	if groups == nil && err == nil {
		err = fmt.Errorf("%T returned neither groups nor an error", l.client)
	}
	if groups == nil {
		return before.failed(err)
	}
	return newReading(groupResources(groups, lists), err)
}

// readGroup reads one group with all its versions. A version that fails does not hide the others, and keeps its
// previous content, if there is one.
func (l *lazy) readGroup(ctx context.Context, name string, before *reading) *reading {
	group, err := l.serverGroup(ctx, name)
	if apierrors.IsNotFound(err) {
		return newReading(nil, nil)
	}
	if err != nil {
		return before.failed(err)
	}
	g := &APIGroupResources{Group: *group, VersionedResources: map[string][]metav1.APIResource{}}
	failed := map[schema.GroupVersion]error{}
	for _, v := range group.Versions {
		gv := schema.GroupVersion{Group: name, Version: v.Version}
		list, err := l.client.ServerResourcesForGroupVersionWithContext(ctx, gv.String())
		switch {
		case err == nil:
			g.VersionedResources[v.Version] = list.APIResources
		case apierrors.IsNotFound(err): // it was just deleted
		default:
			failed[gv] = err
			if resources, ok := before.resources(name, v.Version); ok {
				g.VersionedResources[v.Version] = resources
			}
		}
	}
	if len(failed) == 0 {
		return newReading([]*APIGroupResources{g}, nil)
	}
	r := newReading([]*APIGroupResources{g}, &discovery.ErrGroupDiscoveryFailed{Groups: failed})
	if len(failed) == len(group.Versions) {
		r.at = time.Time{}
	}
	return r
}

// serverGroup reads the versions of a group: alone, if the client supports that, or with all others.
func (l *lazy) serverGroup(ctx context.Context, name string) (*metav1.APIGroup, error) {
	if one, ok := l.client.(interface {
		ServerGroup(ctx context.Context, name string) (*metav1.APIGroup, error)
	}); ok {
		return one.ServerGroup(ctx, name)
	}
	list, err := l.client.ServerGroupsWithContext(ctx)
	if err != nil {
		return nil, err
	}
	for i := range list.Groups {
		if list.Groups[i].Name == name {
			return &list.Groups[i], nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "groups"}, name)
}
