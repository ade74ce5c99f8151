package cache_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	typed "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/rest"
)

// foreign is a RawListerWatcher whose requests are sent by a plain http.Client. With decoded set, it hands out no bytes.
type foreign struct {
	*cache.ListWatch
	client  *http.Client
	base    string
	decoded bool
	raw     int // answers that were handed out as bytes
}

func (f *foreign) get(ctx context.Context, options metav1.ListOptions) (*http.Response, error) {
	values, err := metav1.ParameterCodec.EncodeParameters(&options, corev1.SchemeGroupVersion)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.base+"/api/v1/configmaps?"+values.Encode(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := f.client.Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		err = errors.New(resp.Status)
	}
	return resp, err
}

func (f *foreign) ListRaw(ctx context.Context, options metav1.ListOptions) (*rest.Items, runtime.Object, error) {
	if f.decoded {
		list, err := f.ListWithContext(ctx, options)
		return nil, list, err
	}
	resp, err := f.get(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	f.raw++
	items, err := rest.ItemsOf(resp)
	return items, nil, err
}

func (f *foreign) WatchRaw(ctx context.Context, options metav1.ListOptions) (*rest.Frames, watch.Interface, error) {
	if f.decoded {
		w, err := f.WatchWithContext(ctx, options)
		return nil, w, err
	}
	options.Watch = true
	resp, err := f.get(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	f.raw++
	frames, err := rest.FramesOf(resp)
	return frames, nil, err
}

// IsWatchListSemanticsUnSupported makes the reflector list, so that both methods are called.
func (f *foreign) IsWatchListSemanticsUnSupported() bool { return true }

func TestAForeignRawListerWatcher(t *testing.T) {
	for _, decoded := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			server := apitest.New(t, apitest.Config{InMemory: true})
			change(t, server, 1, "a")
			config := server.RESTConfig()
			httpClient, err := rest.HTTPClientFor(config)
			if err != nil {
				t.Fatal(err)
			}
			client, err := typed.NewForConfig(config)
			if err != nil {
				t.Fatal(err)
			}
			lw := &foreign{
				ListWatch: cache.NewListWatchFromClient(client.RESTClient(), "configmaps", "", nil),
				client:    httpClient, base: config.Host, decoded: decoded,
			}
			informer := cache.NewSharedIndexInformer(lw, &corev1.ConfigMap{}, 0, nil)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); informer.RunWithContext(ctx) }()
			synctest.Wait()
			change(t, server, 2, "b")
			change(t, server, 1, "c")
			settle(t, server, informer.GetStore())
			cancel()
			<-ended
			state := cache.StateOf(informer)
			if want := !decoded; (lw.raw == 2) != want || (state.Bytes > 0) != want {
				t.Errorf("decoded %v: %d answers as bytes, %d bytes received", decoded, lw.raw, state.Bytes)
			}
			if state.Lists != 1 || state.Watches != 1 {
				t.Errorf("%d lists and %d watches, want one each", state.Lists, state.Watches)
			}
		})
	}
}
