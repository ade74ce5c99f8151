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

// list lists all objects in pages.
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

// listAt lists at a version, or a later one, and passes the result to the store.
func (r *running) listAt(version string) error {
	options := metav1.ListOptions{ResourceVersion: version, Limit: r.pageSize(version)}
	r.asked(1, 0)
	in := r.newSnapshot(false)
	first, err := r.page(in, options)
	pages := 1
	for next := first.Continue; err == nil && next != ""; pages++ {
		// A page that follows another has the version of the first, and may not contain one.
		options.ResourceVersion, options.Continue = "", next
		var following metav1.ListMeta
		following, err = r.page(in, options)
		next = following.Continue
	}
	if pages > 1 && apierrors.IsResourceExpired(err) {
		// The continue token has expired: list without pages.
		in = r.newSnapshot(false)
		first, err = r.page(in, metav1.ListOptions{ResourceVersion: version})
	}
	if err != nil {
		return err
	}
	// A server that sends pages although it need not has no watch cache, so pages can be requested without a loss.
	r.paged = r.paged || version == "0" && pages > 1
	return in.commit(first.ResourceVersion)
}

// pageSize returns the limit for a list at a version. With a limit, a server has to read a particular version from
// etcd; without one it can use its watch cache.
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

// page reads one page into the snapshot.
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

// rawPage reads items as a stream.
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

// because returns the cause of a context that has ended in place of the error that followed from it.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// addList takes the items of a decoded list.
func (in *snapshot) addList(list runtime.Object) (metav1.ListMeta, error) {
	if isNil(list) {
		return metav1.ListMeta{}, errors.New("list function returned neither a list nor an error")
	}
	if u, ok := list.(*unstructured.UnstructuredList); ok && u.GetKind() == "Table" {
		return metav1.ListMeta{}, fmt.Errorf("list is a %s Table without objects", u.GetAPIVersion())
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return metav1.ListMeta{}, fmt.Errorf("%T is not a list: %w", list, err)
	}
	// Each item gets memory of its own, so that keeping one does not keep the page.
	err = meta.EachListItemWithAlloc(list, func(obj runtime.Object) error {
		in.addObject(obj)
		return nil
	})
	if err != nil {
		return metav1.ListMeta{}, fmt.Errorf("cannot read the items of a %T: %w", list, err)
	}
	return metav1.ListMeta{ResourceVersion: accessor.GetResourceVersion(), Continue: accessor.GetContinue()}, nil
}
