package listwatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/rest"
)

const defaultPageSize = 500

// listTimeouts gives up after a little more than a minute: an API server ends a request after a minute.
var listTimeouts = timeouts{step: 3 * time.Second, warn: 1, fail: 21, cause: errListStalled}

// list gets all objects in pages.
func (r *running) list() step {
	r.enter(PhaseListing)
	version := r.listVersion()
	err := r.listAt(version)
	r.listFailed(err)
	if isExpired(err) || isTooLarge(err) {
		r.setUnavailable()
		version = ""
		err = r.listAt(version)
		r.listFailed(err)
	}
	if r.round.Err() != nil {
		return r.interrupted(r.round)
	}
	if err != nil {
		return r.giveUp(fmt.Errorf("failed to list %s: %w", r.config.Type, err))
	}
	r.startResync()
	return stepWatch
}

// listAt lists at a version, or a later one, and gives the result to the store.
func (r *running) listAt(version string) error {
	options := metav1.ListOptions{ResourceVersion: version, Limit: r.pageSize(version)}
	r.asked(1, 0)
	in := r.newSnapshot(false)
	first, err := r.page(in, options)
	pages := 1
	for next := first.Continue; err == nil && next != ""; pages++ {
		// A page that follows another is of the version of the first, and may not say one.
		options.ResourceVersion, options.Continue = "", next
		var following metav1.ListMeta
		following, err = r.page(in, options)
		next = following.Continue
	}
	if pages > 1 && apierrors.IsResourceExpired(err) {
		// It took so long that the server has forgotten the version: all at once, then.
		in = r.newSnapshot(false)
		first, err = r.page(in, metav1.ListOptions{ResourceVersion: version})
	}
	if err != nil {
		return err
	}
	// A server that has a choice and sends pages has no memory to answer from, and nothing is gained by not asking for them.
	r.paged = r.paged || version == "0" && pages > 1
	return in.commit(first.ResourceVersion)
}

// pageSize is the limit for a list at a version. With a limit, a server that is asked for a particular version has to read
// its database; without one it can answer from memory.
func (r *running) pageSize(version string) int64 {
	switch {
	case r.config.Source.NoChunks:
		return 0
	case r.config.PageSize != 0:
		return r.config.PageSize
	case version == "" || version == "0" || r.paged:
		return defaultPageSize
	}
	return 0
}

// page gets one page into the new state.
func (r *running) page(in *snapshot, options metav1.ListOptions) (metav1.ListMeta, error) {
	if r.raw {
		listMeta, err := r.rawPage(in, options)
		if !errors.Is(err, rest.ErrNoStream) {
			return listMeta, err
		}
		r.raw = false
	}
	ctx := r.round
	list, err := await(ctx, r.grace(), func() (runtime.Object, error) { return r.config.Source.List(ctx, options) }, nil)
	if err != nil {
		return metav1.ListMeta{}, err
	}
	return in.addList(list)
}

// rawPage reads items as they come.
func (r *running) rawPage(in *snapshot, options metav1.ListOptions) (metav1.ListMeta, error) {
	var progress progress
	g := r.newWatchdog(r.round, listTimeouts.check(r.Reflector, &progress))
	defer g.leave()
	items, list, err := r.listRaw(g.ctx, options)
	if err != nil {
		return metav1.ListMeta{}, because(g.ctx, err)
	}
	if items == nil {
		return in.addList(list)
	}
	defer items.Close()
	for raw, err := range items.All() {
		if err != nil {
			return metav1.ListMeta{}, because(g.ctx, err)
		}
		progress.made()
		r.received(len(raw.Bytes))
		in.addRaw(raw)
	}
	return items.ListMeta()
}

// because prefers the reason why a context ended to the error that followed from it.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// addList takes the items of a decoded list.
func (in *snapshot) addList(list runtime.Object) (metav1.ListMeta, error) {
	if isNil(list) {
		return metav1.ListMeta{}, errors.New("the list function returned neither a list nor an error")
	}
	if u, ok := list.(*unstructured.UnstructuredList); ok && u.GetKind() == "Table" {
		return metav1.ListMeta{}, fmt.Errorf("the list is a %s Table, which has no objects", u.GetAPIVersion())
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return metav1.ListMeta{}, fmt.Errorf("the list is a %T, which is no list: %w", list, err)
	}
	// Each item gets a piece of memory of its own, lest one that is kept keeps the page.
	err = meta.EachListItemWithAlloc(list, func(obj runtime.Object) error {
		in.addObject(obj)
		return nil
	})
	if err != nil {
		return metav1.ListMeta{}, fmt.Errorf("the list is a %T whose items cannot be read: %w", list, err)
	}
	return metav1.ListMeta{ResourceVersion: accessor.GetResourceVersion(), Continue: accessor.GetContinue()}, nil
}
