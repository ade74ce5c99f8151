package apitest

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/load"
	"vedette.dev/apitest/internal/storage"
)

// population is the set of objects that a Churner changes. It belongs to one goroutine.
type population struct {
	server   *Server
	kind     *kinds.Kind // as objects are stored
	resource storage.Resource
	mix      Mix
	random   *load.Random

	keys     []string
	steady   int            // initial number of keys
	template runtime.Object // the last object seen, in case that none is left
	serial   int
}

// The kinds of changes.
const (
	sortUpdate = iota
	sortLabel
	sortCreate
	sortDelete
)

// churnMark is the label and the annotation that are changed if there is nothing more specific.
const churnMark = "apitest.vedette.dev/churn"

func newChurner(s *Server, c Churn, kind *kinds.Kind) (*Churner, error) {
	p := &population{server: s, kind: kind, resource: kind.Resource().GroupResource(), mix: c.Mix,
		random: load.NewRandom(c.Seed, 0)}
	snapshot, err := s.api.Store().Snapshot(p.resource, 0)
	if err != nil {
		return nil, fmt.Errorf("apitest: Churn: %w", err)
	}
	for item := range snapshot.Items(c.Namespace, "") {
		if c.Selector == nil || c.Selector.Matches(labels.Set(metaOf(item.Object).GetLabels())) {
			p.keys, p.template = append(p.keys, item.Key), item.Object
		}
	}
	if len(p.keys) == 0 {
		return nil, fmt.Errorf("apitest: Churn: there are no %s to change in namespace %q with selector %q: see Server.Fill",
			kind.Plural, c.Namespace, fmt.Sprint(c.Selector))
	}
	p.steady = len(p.keys)
	return &Churner{population: p, rate: c.Rate, began: time.Now(), done: make(chan struct{})}, nil
}

// change makes one change, with retries after conflicts. ok is false if there is no suitable object.
func (p *population) change() (sort, conflicts int, ok bool) {
	sort = p.sort()
	if sort == sortCreate {
		return sort, 0, p.create()
	}
	for len(p.keys) > 0 {
		at := p.random.Below(len(p.keys))
		var found bool
		if sort == sortDelete {
			found = p.delete(at)
		} else {
			var again int
			again, found = p.update(at, sort)
			conflicts += again
		}
		if found {
			return sort, conflicts, true
		}
	}
	return sort, conflicts, false
}

// sort selects a kind from the mix. Creations and deletions replace each other to keep the size of the population.
func (p *population) sort() int {
	drawn, sort := p.random.Below(p.mix.total()), sortUpdate
	for _, weight := range []int{p.mix.Updates, p.mix.Labels, p.mix.Creates, p.mix.Deletes} {
		if drawn < weight {
			break
		}
		drawn -= weight
		sort++
	}
	slack := 1 + p.steady/100
	switch {
	case sort == sortCreate && p.mix.Deletes > 0 && len(p.keys) >= p.steady+slack:
		return sortDelete
	case sort == sortDelete && p.mix.Creates > 0 && len(p.keys) <= max(0, p.steady-slack):
		return sortCreate
	}
	return sort
}

// update changes the object of a key, with retries after conflicts. An object that was deleted is removed from the
// population.
func (p *population) update(at, sort int) (conflicts int, found bool) {
	store := p.server.api.Store()
	for {
		item := store.Get(p.resource, p.keys[at])
		if item == nil {
			p.forget(at)
			return conflicts, false
		}
		changed := storage.Shallow(item.Object)
		p.serial++
		switch pod, isPod := changed.(*corev1.Pod); {
		case sort == sortLabel:
			p.relabel(metaOf(changed))
		case isPod:
			p.kubelet(pod)
		default:
			p.annotate(metaOf(changed))
		}
		_, err := store.Update(p.resource, item, changed)
		if err == nil {
			p.template = changed
			return conflicts, true
		}
		conflicts++
	}
}

func (p *population) relabel(m metav1.Object) { m.SetLabels(p.marked(m.GetLabels())) }

func (p *population) annotate(m metav1.Object) { m.SetAnnotations(p.marked(m.GetAnnotations())) }

// marked returns a copy with one change.
func (p *population) marked(values map[string]string) map[string]string {
	values = maps.Clone(values)
	if values == nil {
		values = map[string]string{}
	}
	values[churnMark] = strconv.Itoa(p.serial)
	return values
}

// create adds a copy of an object.
func (p *population) create() bool {
	if len(p.keys) > 0 {
		if item := p.server.api.Store().Get(p.resource, p.keys[p.random.Below(len(p.keys))]); item != nil {
			p.template = item.Object
		}
	}
	for {
		obj := p.template.DeepCopyObject()
		m := metaOf(obj)
		m.SetName(p.newName(m))
		m.SetUID(types.UID(p.random.UUID()))
		m.SetCreationTimestamp(metav1.Now().Rfc3339Copy())
		m.SetDeletionTimestamp(nil)
		if pod, ok := obj.(*corev1.Pod); ok {
			p.pending(pod)
		}
		key := storage.Key(m.GetNamespace(), m.GetName())
		_, err := p.server.api.Store().Create(p.resource, key, obj)
		switch {
		case err == nil:
			p.keys = append(p.keys, key)
			return true
		case !errors.Is(err, storage.ErrExists):
			return false
		}
	}
}

// newName returns a new name of the same pattern.
func (p *population) newName(m metav1.Object) string {
	base := m.GetGenerateName()
	if base == "" {
		base = m.GetName()
		if cut := strings.LastIndexByte(base, '-'); cut > 0 {
			base = base[:cut]
		}
		base += "-"
	}
	return base + p.random.Letters(8)
}

// delete deletes the object of a key without a grace period.
func (p *population) delete(at int) bool {
	item := p.server.api.Store().Get(p.resource, p.keys[at])
	p.forget(at)
	if item == nil {
		return false
	}
	obj := item.Object
	if obj.GetObjectKind().GroupVersionKind().Empty() {
		obj = storage.Shallow(obj)
		obj.GetObjectKind().SetGroupVersionKind(p.kind.GroupVersionKind)
	}
	err := p.server.api.DeleteObject(obj, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
	return !apierrors.IsNotFound(err)
}

// forget removes a key.
func (p *population) forget(at int) {
	last := len(p.keys) - 1
	p.keys[at] = p.keys[last]
	p.keys = p.keys[:last]
}

func metaOf(obj runtime.Object) metav1.Object {
	m, err := meta.Accessor(obj)
	if err != nil {
		panic(err) // stored objects have metadata
	}
	return m
}
