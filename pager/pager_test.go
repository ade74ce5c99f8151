package pager_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest"
	corev1client "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/pager"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serverWith is a client of a server with n config maps.
func serverWith(t *testing.T, n int) (*apitest.Server, pager.ListPageFunc) {
	t.Helper()
	server, err := apitest.Start(apitest.Config{CreateNamespaces: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	for i := range n {
		if err := server.Put(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c%02d", i), Namespace: "default"}}); err != nil {
			t.Fatal(err)
		}
	}
	client := corev1client.NewForConfigOrDie(server.RESTConfig())
	t.Cleanup(client.RESTClient().(*rest.RESTClient).Client.CloseIdleConnections)
	return server, func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		return client.ConfigMaps("default").List(ctx, opts)
	}
}

func names(t *testing.T, list runtime.Object) (names []string) {
	t.Helper()
	err := meta.EachListItem(list, func(obj runtime.Object) error {
		names = append(names, obj.(*corev1.ConfigMap).Name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestPages(t *testing.T) {
	const n = 25
	_, list := serverWith(t, n)
	for size, want := range map[int64]int{1: n, 10: 3, 25: 1, 100: 1} {
		calls := 0
		p := pager.New(func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			calls++
			return list(ctx, opts)
		})
		p.PageSize = size
		// The version must not be sent with the second page: the server rejects it.
		options := metav1.ListOptions{ResourceVersion: "1", ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}
		all, paged, err := p.List(t.Context(), options)
		if err != nil || paged != (want > 1) || calls != want {
			t.Fatalf("pages of %d: paged %t, %d calls, %v", size, paged, calls, err)
		}
		m, err := meta.ListAccessor(all)
		if err != nil || m.GetResourceVersion() == "" || m.GetContinue() != "" {
			t.Errorf("pages of %d: %v, %v", size, m, err)
		}
		got := names(t, all)
		if len(got) != n || !slices.IsSorted(got) {
			t.Errorf("pages of %d: %v", size, got)
		}
		if all, _, err = p.ListWithAlloc(t.Context(), options); err != nil || !slices.Equal(names(t, all), got) {
			t.Errorf("with alloc: %v, %v", all, err)
		}
		for _, buffer := range []int32{0, 1, 10} {
			p.PageBufferSize = buffer
			for _, each := range []func(context.Context, metav1.ListOptions, func(runtime.Object) error) error{p.EachListItem, p.EachListItemWithAlloc} {
				var seen []string
				err := each(t.Context(), options, func(obj runtime.Object) error {
					seen = append(seen, obj.(*corev1.ConfigMap).Name)
					return nil
				})
				if err != nil || !slices.Equal(seen, got) {
					t.Errorf("pages of %d, buffer %d: %v, %v", size, buffer, seen, err)
				}
			}
		}
	}
}

// TestExpired: the server forgets the version of the first page before the second is read.
func TestExpired(t *testing.T) {
	_, list := serverWith(t, 25)
	var seen []metav1.ListOptions
	p := pager.New(func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		seen = append(seen, opts)
		if opts.Continue != "" {
			return nil, apierrors.NewResourceExpired("compacted")
		}
		return list(ctx, opts)
	})
	p.PageSize = 10
	all, paged, err := p.List(t.Context(), metav1.ListOptions{
		ResourceVersion: "1", ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, LabelSelector: "!x"})
	if err != nil || !paged || len(names(t, all)) != 25 {
		t.Fatalf("%v, %t, %v", all, paged, err)
	}
	if last := seen[2]; len(seen) != 3 || last.Limit != 0 || last.Continue != "" || last.ResourceVersion != "1" || last.ResourceVersionMatch == "" || last.LabelSelector != "!x" {
		t.Errorf("%+v", seen)
	}
	p.FullListIfExpired = false
	if _, paged, err := p.List(t.Context(), metav1.ListOptions{}); !apierrors.IsResourceExpired(err) || !paged {
		t.Error(paged, err)
	}
	p.FullListIfExpired = true
	count := 0
	err = p.EachListItem(t.Context(), metav1.ListOptions{}, func(runtime.Object) error { count++; return nil })
	if !apierrors.IsResourceExpired(err) || count != 10 {
		t.Errorf("%d objects, %v", count, err)
	}
}

func TestErrors(t *testing.T) {
	_, list := serverWith(t, 25)
	p := pager.New(list)
	p.PageSize = 10
	mine := errors.New("mine")
	if err := p.EachListItem(t.Context(), metav1.ListOptions{}, func(runtime.Object) error { return mine }); err != mine {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	count := 0
	err := p.EachListItem(ctx, metav1.ListOptions{}, func(runtime.Object) error {
		if count++; count == 10 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || count != 10 {
		t.Errorf("%d objects, %v", count, err)
	}
	if _, _, err := p.List(ctx, metav1.ListOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	p.PageBufferSize = -1
	if err := p.EachListItem(t.Context(), metav1.ListOptions{}, nil); err == nil || !strings.Contains(err.Error(), "PageBufferSize") {
		t.Error(err)
	}
	p = pager.New(pager.SimplePageFunc(func(metav1.ListOptions) (runtime.Object, error) { return &corev1.Pod{}, nil }))
	if _, _, err := p.List(t.Context(), metav1.ListOptions{}); err == nil || !strings.Contains(err.Error(), "not a list") {
		t.Error(err)
	}
}

// TestPagesInAdvance: with a buffer of three pages, five are read before the first has been handled.
func TestPagesInAdvance(t *testing.T) {
	_, list := serverWith(t, 25)
	calls := make(chan int, 100)
	read := 0
	p := pager.New(func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		read++
		calls <- read
		return list(ctx, opts)
	})
	p.PageSize, p.PageBufferSize = 1, 3
	stop := errors.New("stop")
	err := p.EachListItem(t.Context(), metav1.ListOptions{}, func(runtime.Object) error {
		for range 5 { // one is handled, three are buffered, and one waits
			select {
			case <-calls:
			case <-time.After(10 * time.Second):
				return errors.New("too few pages were read in advance")
			}
		}
		select {
		case n := <-calls:
			return fmt.Errorf("%d pages were read", n)
		case <-time.After(20 * time.Millisecond):
		}
		return stop
	})
	if err != stop {
		t.Error(err)
	}
}
