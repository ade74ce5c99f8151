package cache_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/dynamic"
	"vedette.dev/gentype"
	"vedette.dev/kubernetes"
	"vedette.dev/metadata"
	"vedette.dev/rest"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// myMap is a config map as a program without generated code declares it.
type myMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data"`
}

// ways are the ways to list and watch config maps, each with the type that the store gets.
var ways = map[string]func(t *testing.T, c *rest.Config) (lw cache.ListerWatcher, expected any){
	"typed, protobuf": func(t *testing.T, c *rest.Config) (cache.ListerWatcher, any) {
		r := kubernetes.NewForConfigOrDie(c).CoreV1().ConfigMaps("").(cache.Requester)
		return cache.NewListWatchFromRequester(r, nil, nil), &corev1.ConfigMap{}
	},
	"typed, JSON": func(t *testing.T, c *rest.Config) (cache.ListerWatcher, any) {
		c.ContentType = "application/json"
		r := kubernetes.NewForConfigOrDie(c).CoreV1().ConfigMaps("").(cache.Requester)
		return cache.NewListWatchFromRequester(r, func() metav1.Object { return &corev1.ConfigMap{} }, nil), &corev1.ConfigMap{}
	},
	"from a client, JSON": func(t *testing.T, c *rest.Config) (cache.ListerWatcher, any) {
		c.ContentType = "application/json"
		client := kubernetes.NewForConfigOrDie(c).CoreV1().RESTClient()
		return cache.NewListWatchFromClient(client, "configmaps", "", fields.Everything()), &corev1.ConfigMap{}
	},
	"from a client, protobuf": func(t *testing.T, c *rest.Config) (cache.ListerWatcher, any) {
		c.ContentType = "application/vnd.kubernetes.protobuf"
		client := kubernetes.NewForConfigOrDie(c).CoreV1().RESTClient()
		return cache.NewListWatchFromClient(client, "configmaps", "", nil), &corev1.ConfigMap{}
	},
	"from a client, a type without protobuf": func(t *testing.T, c *rest.Config) (cache.ListerWatcher, any) {
		c.ContentType = "application/vnd.kubernetes.protobuf"
		client := kubernetes.NewForConfigOrDie(c).CoreV1().RESTClient()
		return cache.NewListWatchFromClient(client, "configmaps", "", nil), kindOnly("v1", "ConfigMap")
	},
	"dynamic": func(t *testing.T, c *rest.Config) (cache.ListerWatcher, any) {
		r := dynamic.NewForConfigOrDie(c).Resource(configMaps).(cache.Requester)
		return cache.NewListWatchFromRequester(r, nil, nil), kindOnly("v1", "ConfigMap")
	},
	"metadata": func(t *testing.T, c *rest.Config) (cache.ListerWatcher, any) {
		r := metadata.NewForConfigOrDie(c).Resource(configMaps).(cache.Requester)
		return cache.NewListWatchFromRequester(r, nil, nil), &metav1.PartialObjectMetadata{}
	},
	"a struct of one's own": func(t *testing.T, c *rest.Config) (cache.ListerWatcher, any) {
		c.APIPath = "/api"
		r := gentype.NewJSON[myMap, gentype.List[myMap]](kubernetes.NewForConfigOrDie(c).CoreV1().RESTClient(), "configmaps", "")
		return cache.NewListWatchFromRequester(r, nil, func(o *metav1.ListOptions) { o.LabelSelector = "" }), &myMap{}
	},
	"functions": func(t *testing.T, c *rest.Config) (cache.ListerWatcher, any) {
		r := kubernetes.NewForConfigOrDie(c).CoreV1().ConfigMaps("").(cache.Requester)
		// What wraps a ListWatch is asked itself.
		return struct{ *cache.ListWatch }{cache.NewListWatchFromRequester(r, nil, nil)}, &corev1.ConfigMap{}
	},
	"functions that decode into a given type": func(t *testing.T, c *rest.Config) (cache.ListerWatcher, any) {
		r := dynamic.NewForConfigOrDie(c).Resource(configMaps).(cache.Requester)
		lw := cache.NewListWatchFromRequester(r, func() metav1.Object { return &corev1.ConfigMap{} }, nil)
		return struct{ *cache.ListWatch }{lw}, &corev1.ConfigMap{}
	},
}

func kindOnly(apiVersion, kind string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
}

// Whatever the way, the store becomes what the server has, through changes, cuts and compactions.
func TestEveryWayLeadsToTheServer(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := apitest.New(t, apitest.Config{InMemory: true})
				defer server.Close()
				for i := range 30 {
					change(t, server, i, "first")
				}
				config := server.RESTConfig()
				lines := &cutter{dial: config.Dial}
				config.Dial = lines.Dial
				lw, expected := way(t, config)
				store := cache.NewStore(cache.MetaNamespaceKeyFunc)
				r := cache.NewReflector(lw, expected, store, 0)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go r.RunWithContext(ctx)
				settle(t, server, store)

				for i := range 20 {
					change(t, server, 10+2*i, "second")
				}
				settle(t, server, store)

				lines.cut()
				for i := range 20 {
					change(t, server, 30+i, "third")
				}
				server.Compact()
				settle(t, server, store)
				checkTypes(t, r, store, expected)
				cancel()
				synctest.Wait()
				lines.cut()
			})
		})
	}
}

// checkTypes looks at what only some types say.
func checkTypes(t *testing.T, r *cache.Reflector, store cache.Store, expected any) {
	state := r.State()
	if state.Undecodable != 0 || state.Skipped != 0 || state.Cause != nil {
		t.Errorf("%+v", state)
	}
	for _, obj := range store.List() {
		if got, want := fmt.Sprintf("%T", obj), fmt.Sprintf("%T", expected); got != want {
			t.Fatalf("the store has a %s, want a %s", got, want)
		}
		kind := ""
		switch o := obj.(type) {
		case *corev1.ConfigMap:
			kind = o.Kind
		case *myMap:
			kind = o.Kind
			if o.Data["value"] == "" {
				t.Fatal("the data are missing")
			}
		case *unstructured.Unstructured:
			if kind = o.GetKind(); kind == "ConfigMap" {
				kind = ""
			}
		case *metav1.PartialObjectMetadata:
			if kind = o.Kind; kind == "PartialObjectMetadata" {
				kind = ""
			}
		}
		if kind != "" {
			t.Fatalf("a %T says that it is a %q", obj, kind)
		}
	}
}
