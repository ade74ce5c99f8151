// Package pager reads long lists in pages.
//
// A [ListPager] calls a function for one page after the other. [ListPager.List] returns all of them as one list;
// [ListPager.EachListItem] calls a function for each object while the next pages are being read.
//
// To read a list with little memory, rest.Request.Items needs neither pages nor a decoded list.
package pager

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	defaultPageSize       = 500
	defaultPageBufferSize = 10
)

// ListPageFunc returns the page that opts selects with Limit and Continue.
type ListPageFunc func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error)

// SimplePageFunc returns a ListPageFunc that calls a function without a context.
func SimplePageFunc(fn func(opts metav1.ListOptions) (runtime.Object, error)) ListPageFunc {
	return func(_ context.Context, opts metav1.ListOptions) (runtime.Object, error) { return fn(opts) }
}

// ListPager reads lists in pages.
type ListPager struct {
	// PageSize is the number of objects of a page, unless the options have a Limit.
	PageSize int64
	// PageFn reads a page.
	PageFn ListPageFunc
	// FullListIfExpired makes List read the whole list in one request if the server no longer has the version of the
	// first page.
	FullListIfExpired bool
	// PageBufferSize is how many pages EachListItem reads in advance.
	PageBufferSize int32
}

// New returns a pager with pages of 500 objects, which reads the whole list if a page has expired, and up to 10 pages in
// advance.
func New(fn ListPageFunc) *ListPager {
	return &ListPager{PageSize: defaultPageSize, PageFn: fn, FullListIfExpired: true, PageBufferSize: defaultPageBufferSize}
}

// List returns all pages as one list, and whether there was more than one page. A single page, or the whole list that
// was read after a page had expired, is returned as PageFn returned it; otherwise the result is an
// *internalversion.List with the version of the first page.
//
// The objects of a page share its memory. If they are kept for different times, use ListWithAlloc.
func (p *ListPager) List(ctx context.Context, options metav1.ListOptions) (runtime.Object, bool, error) {
	return p.list(ctx, options, meta.EachListItem)
}

// ListWithAlloc is like List, with objects that do not share memory.
func (p *ListPager) ListWithAlloc(ctx context.Context, options metav1.ListOptions) (runtime.Object, bool, error) {
	return p.list(ctx, options, meta.EachListItemWithAlloc)
}

type eachItem func(runtime.Object, func(runtime.Object) error) error

func (p *ListPager) list(ctx context.Context, options metav1.ListOptions, each eachItem) (runtime.Object, bool, error) {
	var (
		list  *internalversion.List
		first runtime.Object // the only page so far
		pages int
	)
	err := p.eachPage(ctx, options, func(page runtime.Object, m metav1.ListInterface) error {
		pages++
		if first == nil && m.GetContinue() == "" {
			first = page
			return nil
		}
		first = page
		if list == nil {
			list = &internalversion.List{}
			list.ResourceVersion = m.GetResourceVersion()
		}
		return each(page, func(item runtime.Object) error {
			list.Items = append(list.Items, item)
			return nil
		})
	})
	switch {
	case err != nil && (pages > 0 || options.Continue != "") && p.FullListIfExpired && apierrors.IsResourceExpired(err):
		options.Limit, options.Continue = 0, ""
		whole, err := p.PageFn(ctx, options)
		return whole, pages > 0, err
	case err != nil:
		return nil, pages > 0, err
	case list == nil:
		return first, false, nil
	}
	return list, pages > 1, nil
}

// EachListItem calls fn for each object, while the next pages are being read. It returns the first error of fn, of a
// page, or of the context. It does not fall back to a whole list: fn has had objects of the first pages.
//
// The objects of a page share its memory. If they are kept for different times, use EachListItemWithAlloc.
func (p *ListPager) EachListItem(ctx context.Context, options metav1.ListOptions, fn func(obj runtime.Object) error) error {
	return p.eachPageAhead(ctx, options, func(page runtime.Object) error { return meta.EachListItem(page, fn) })
}

// EachListItemWithAlloc is like EachListItem, with objects that do not share memory.
func (p *ListPager) EachListItemWithAlloc(ctx context.Context, options metav1.ListOptions, fn func(obj runtime.Object) error) error {
	return p.eachPageAhead(ctx, options, func(page runtime.Object) error { return meta.EachListItemWithAlloc(page, fn) })
}

// eachPageAhead calls fn for each page, in the goroutine of the caller. Another goroutine reads them; it ends when its
// request does, which is cancelled if fn returns an error.
func (p *ListPager) eachPageAhead(ctx context.Context, options metav1.ListOptions, fn func(runtime.Object) error) error {
	if p.PageBufferSize < 0 {
		return fmt.Errorf("ListPager.PageBufferSize is %d, want at least 0", p.PageBufferSize)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pages := make(chan runtime.Object, p.PageBufferSize)
	result := make(chan error, 1)
	go func() {
		defer close(pages)
		result <- p.eachPage(ctx, options, func(page runtime.Object, _ metav1.ListInterface) error {
			select {
			case pages <- page:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	for page := range pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(page); err != nil {
			return err
		}
	}
	return <-result
}

// eachPage calls fn for each page.
func (p *ListPager) eachPage(ctx context.Context, options metav1.ListOptions, fn func(runtime.Object, metav1.ListInterface) error) error {
	if options.Limit == 0 {
		options.Limit = p.PageSize
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		page, err := p.PageFn(ctx, options)
		if err != nil {
			return err
		}
		m, err := meta.ListAccessor(page)
		if err != nil {
			return fmt.Errorf("the page is not a list: %w", err)
		}
		if err := fn(page, m); err != nil {
			return err
		}
		if m.GetContinue() == "" {
			return nil
		}
		options.Continue = m.GetContinue()
		// The version is part of Continue; the server rejects requests with both.
		options.ResourceVersion, options.ResourceVersionMatch = "", ""
	}
}
