package bridge_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	clientgofeatures "k8s.io/client-go/features"
	clientgofeaturestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/kubernetes"
	clientgorest "k8s.io/client-go/rest"
	clientgocache "k8s.io/client-go/tools/cache"

	"vedette.dev/apitest"
	"vedette.dev/bridge"
	"vedette.dev/cache"
)

// follow has an informer of config maps follow a server, and returns its state.
func follow(t *testing.T, wrap func(t *testing.T, config *clientgorest.Config) *clientgorest.Config, options bridge.Options) cache.State {
	t.Helper()
	server, config := newServer(t)
	client := newClient(t, wrap(t, config))
	factory := must[interface {
		InformerFor
	}](t)(newFactory(client, options))
	informer := factory.Core().V1().ConfigMaps().Informer()
	run(t, informer)
	must[any](t)(server.Update(t.Context(), configMap("a", "2")))
	must[any](t)(server.Create(t.Context(), configMap("c", "3")))
	if err := server.Delete(t.Context(), configMap("b", ""), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	store := informer.GetStore()
	eventually(t, "change", func() bool { return value(store, "a") == "2" && value(store, "c") == "3" && value(store, "b") == "" })
	return stateOf(t, informer)
}

func wrapped(t *testing.T, config *clientgorest.Config) *clientgorest.Config {
	t.Helper()
	config.Timeout = time.Hour // cancels the context of a request when its answer was read
	return must[*clientgorest.Config](t)(bridge.WrapConfig(config))
}

// middleware adds an http.RoundTripper to a configuration.
func middleware(config *clientgorest.Config, then func(resp *http.Response) (*http.Response, error)) {
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		return roundTripper(func(req *http.Request) (*http.Response, error) {
			resp, err := rt.RoundTrip(req)
			if err != nil {
				return resp, err
			}
			return then(resp)
		})
	})
}

type roundTripper func(req *http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// readWhole reads an answer that ends, as a middleware that logs or checks answers does.
func readWhole(seen *atomic.Int64) func(resp *http.Response) (*http.Response, error) {
	return func(resp *http.Response) (*http.Response, error) {
		if resp.Request.URL.Query().Get("watch") == "true" {
			return resp, nil
		}
		data, err := io.ReadAll(resp.Body)
		seen.Add(int64(len(data)))
		resp.Body = io.NopCloser(bytes.NewReader(data))
		return resp, err
	}
}

// counted counts what is read of an answer.
type counted struct {
	io.ReadCloser
	n *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func TestWhereBytesComeFrom(t *testing.T) {
	for _, c := range []struct {
		name string
		wrap func(t *testing.T, config *clientgorest.Config) *clientgorest.Config
		raw  bool
	}{
		{"wrapped", wrapped, true},
		{"wrapped, protobuf", func(t *testing.T, config *clientgorest.Config) *clientgorest.Config {
			config.ContentType = "application/vnd.kubernetes.protobuf"
			return wrapped(t, config)
		}, true},
		{"not wrapped", func(_ *testing.T, config *clientgorest.Config) *clientgorest.Config { return config }, false},
		{"wrapped twice, with another wrapper between", func(t *testing.T, config *clientgorest.Config) *clientgorest.Config {
			config = wrapped(t, config)
			middleware(config, func(resp *http.Response) (*http.Response, error) { return resp, nil })
			return wrapped(t, config)
		}, true},
		{"the first attempt of each request fails", func(t *testing.T, config *clientgorest.Config) *clientgorest.Config {
			var n atomic.Int64
			config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
				return roundTripper(func(req *http.Request) (*http.Response, error) {
					if n.Add(1)%2 == 1 {
						return nil, syscall.ECONNRESET
					}
					return rt.RoundTrip(req)
				})
			})
			return wrapped(t, config)
		}, true},
		{"the first answer to each request is lost", func(t *testing.T, config *clientgorest.Config) *clientgorest.Config {
			config = wrapped(t, config)
			var n atomic.Int64
			middleware(config, func(resp *http.Response) (*http.Response, error) {
				if n.Add(1)%2 == 1 {
					return nil, io.ErrUnexpectedEOF
				}
				return resp, nil
			})
			return config
		}, true},
		{"a middleware inside reads answers", func(t *testing.T, config *clientgorest.Config) *clientgorest.Config {
			middleware(config, readWhole(new(atomic.Int64)))
			return wrapped(t, config)
		}, true},
		{"a middleware outside wraps answers", func(t *testing.T, config *clientgorest.Config) *clientgorest.Config {
			config = wrapped(t, config)
			var seen atomic.Int64
			middleware(config, func(resp *http.Response) (*http.Response, error) {
				resp.Body = counted{resp.Body, &seen}
				return resp, nil
			})
			t.Cleanup(func() {
				if seen.Load() == 0 {
					t.Error("the middleware has seen nothing")
				}
			})
			return config
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, options := range []bridge.Options{{}, {Storage: cache.Storage{Packed: true}}} {
				state := follow(t, c.wrap, options)
				if raw := state.Bytes > 0; raw != c.raw {
					t.Errorf("%+v: the informer read bytes: %v, want %v", options.Storage, raw, c.raw)
				}
				if state.ListsFailed != (cache.FailureCounts{}) || state.WatchesFailed != (cache.FailureCounts{}) {
					t.Errorf("%+v: lists %v and watches %v have failed", options.Storage, state.ListsFailed, state.WatchesFailed)
				}
			}
		})
	}
}

// TestAMiddlewareOutsideReadsLists has lists that are read by a middleware, and watches that are not.
func TestAMiddlewareOutsideReadsLists(t *testing.T) {
	var seen atomic.Int64
	follow(t, func(t *testing.T, config *clientgorest.Config) *clientgorest.Config {
		config = wrapped(t, config)
		// Without streaming lists.
		config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
			return roundTripper(func(req *http.Request) (*http.Response, error) {
				if req.URL.Query().Get("sendInitialEvents") != "" {
					return nil, errors.New("refused")
				}
				return rt.RoundTrip(req)
			})
		})
		middleware(config, readWhole(&seen))
		return config
	}, bridge.Options{})
	if seen.Load() == 0 {
		t.Error("the middleware has seen nothing")
	}
}

func TestASecondWrapIsAnError(t *testing.T) {
	once := must[*clientgorest.Config](t)(bridge.WrapConfig(&clientgorest.Config{Host: "h"}))
	if _, err := bridge.WrapConfig(once); !errors.Is(err, bridge.ErrWrapped) {
		t.Errorf("configuration: %v", err)
	}
	client := must[*http.Client](t)(bridge.WrapHTTPClient(&http.Client{}))
	if _, err := bridge.WrapHTTPClient(client); !errors.Is(err, bridge.ErrWrapped) {
		t.Errorf("client: %v", err)
	}
	if _, err := bridge.WrapConfig(nil); err == nil {
		t.Error("nil is wrapped")
	}
	if _, err := bridge.WrapHTTPClient(nil); err == nil {
		t.Error("nil is wrapped")
	}
}

// TestNewInformerNeverIntercepts has a ListerWatcher that hides an object.
func TestNewInformerNeverIntercepts(t *testing.T) {
	_, config := newServer(t)
	client := newClient(t, wrapped(t, config))
	behind := clientgocache.NewListWatchFromClient(client.CoreV1().RESTClient(), "configmaps", "default", fields.Everything())
	informer := bridge.NewInformer(hiding{behind}, &corev1.ConfigMap{}, 0, nil)
	run(t, informer)
	if value(informer.GetStore(), "a") != "1" || value(informer.GetStore(), "b") != "" {
		t.Errorf("the store has %v", informer.GetStore().ListKeys())
	}
	if stateOf(t, informer).Bytes != 0 {
		t.Error("the informer has read bytes")
	}
}

// TestAnswersInOtherEncodings has a server that answers in CBOR, which client-go has to decode.
func TestAnswersInOtherEncodings(t *testing.T) {
	clientgofeaturestesting.SetFeatureDuringTest(t, clientgofeatures.ClientsAllowCBOR, true)
	clientgofeaturestesting.SetFeatureDuringTest(t, clientgofeatures.ClientsPreferCBOR, true)
	for name, newInformer := range map[string]func(client kubernetes.Interface) clientgocache.SharedIndexInformer{
		"streaming lists": func(client kubernetes.Interface) clientgocache.SharedIndexInformer {
			return must[InformerFor](t)(newFactory(client, bridge.Options{})).Core().V1().ConfigMaps().Informer()
		},
		"lists": func(client kubernetes.Interface) clientgocache.SharedIndexInformer {
			lw := clientgocache.NewListWatchFromClient(client.CoreV1().RESTClient(), "configmaps", "default", fields.Everything())
			return bridge.Options{}.NewRawInformer(listing{lw}, &corev1.ConfigMap{}, 0, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := apitest.New(t, apitest.Config{CBOR: true})
			must[any](t)(server.Create(t.Context(), configMap("a", "1")))
			config := must[*clientgorest.Config](t)(bridge.ToClientGo(server.RESTConfig()))
			config.QPS, config.ContentType, config.AcceptContentTypes = -1, "application/cbor", "application/cbor"
			var mu sync.Mutex
			types := map[string]bool{}
			middleware(config, func(resp *http.Response) (*http.Response, error) {
				mu.Lock()
				defer mu.Unlock()
				types[resp.Header.Get("Content-Type")] = true
				return resp, nil
			})
			informer := newInformer(newClient(t, wrapped(t, config)))
			run(t, informer)
			must[any](t)(server.Update(t.Context(), configMap("a", "2")))
			eventually(t, "change", func() bool { return value(informer.GetStore(), "a") == "2" })
			state := stateOf(t, informer)
			if state.Bytes != 0 || state.ListsFailed != (cache.FailureCounts{}) || state.WatchesFailed != (cache.FailureCounts{}) {
				t.Errorf("the informer read %d bytes, want 0; lists %v and watches %v have failed", state.Bytes, state.ListsFailed, state.WatchesFailed)
			}
			mu.Lock()
			defer mu.Unlock()
			for mediaType := range types {
				if !strings.HasPrefix(mediaType, "application/cbor") {
					t.Errorf("the server has answered with %q", mediaType)
				}
			}
		})
	}
}
