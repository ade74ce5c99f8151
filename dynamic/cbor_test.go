package dynamic_test

import (
	"net/http"
	"reflect"
	"slices"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/dynamic"
	"vedette.dev/rest"
)

const (
	inJSON, inCBOR, inSequence = "application/json", "application/cbor", "application/cbor-seq"
	applyYAML, applyCBOR       = "application/apply-patch+yaml", "application/apply-patch+cbor"
)

// wire notes what is on the wire: the types of bodies and of responses.
type wire struct {
	mu        sync.Mutex
	sent, got []string
}

func (w *wire) wrap(rt http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		resp, err := rt.RoundTrip(r)
		w.mu.Lock()
		defer w.mu.Unlock()
		if r.Body != nil {
			w.sent = append(w.sent, r.Header.Get("Content-Type"))
		}
		if err == nil {
			w.got = append(w.got, resp.Header.Get("Content-Type"))
		}
		return resp, err
	})
}

// take returns the types of the bodies that were sent, and of those that came, since the last call.
func (w *wire) take() (sent, got []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	sent, got = w.sent, w.got
	w.sent, w.got = nil, nil
	return sent, got
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// cborClient starts a server with a kind of its own, and returns a client and what is on its wire.
func cborClient(t *testing.T, server apitest.Config, client rest.Config) (*dynamic.DynamicClient, *wire) {
	t.Helper()
	server.InProcess, server.CreateNamespaces = true, true
	server.Kinds = []apitest.Kind{{GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}, Namespaced: true}}
	config := apitest.New(t, server).RESTConfig()
	config.AllowCBOR, config.PreferCBOR, config.ContentType = client.AllowCBOR, client.PreferCBOR, client.ContentType
	w := &wire{}
	config.Wrap(w.wrap)
	c, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c, w
}

// TestCBOR does everything with a server that knows CBOR, and with one that does not.
func TestCBOR(t *testing.T) {
	for name, test := range map[string]struct {
		server apitest.Config
		client rest.Config
		// write and apply are the types of bodies, first and later, and read and watch those of responses.
		write, apply, later, laterApply, read, watch string
	}{
		"preferred":          {apitest.Config{CBOR: true}, rest.Config{PreferCBOR: true}, inCBOR, applyCBOR, inCBOR, applyCBOR, inCBOR, inSequence},
		"allowed":            {apitest.Config{CBOR: true}, rest.Config{AllowCBOR: true}, inJSON, applyYAML, inJSON, applyYAML, inCBOR, inSequence},
		"neither":            {apitest.Config{CBOR: true}, rest.Config{}, inJSON, applyYAML, inJSON, applyYAML, inJSON, inJSON},
		"preferred in vain":  {apitest.Config{}, rest.Config{PreferCBOR: true}, inCBOR, applyCBOR, inJSON, applyYAML, inJSON, inJSON},
		"allowed in vain":    {apitest.Config{}, rest.Config{AllowCBOR: true}, inJSON, applyYAML, inJSON, applyYAML, inJSON, inJSON},
		"preferred, of both": {apitest.Config{CBOR: true}, rest.Config{AllowCBOR: true, PreferCBOR: true}, inCBOR, applyCBOR, inCBOR, applyCBOR, inCBOR, inSequence},
	} {
		t.Run(name, func(t *testing.T) {
			client, w := cborClient(t, test.server, test.client)
			expect := func(what string, sent, got []string) {
				t.Helper()
				gotSent, gotGot := w.take()
				if !slices.Equal(gotSent, sent) || !slices.Equal(gotGot, got) {
					t.Errorf("%s: sent %q and got %q; want %q and %q", what, gotSent, gotGot, sent, got)
				}
			}
			all := client.Resource(widgets).Namespace("ns")
			refused := test.write != test.later
			ctx := t.Context()

			// The first body may be refused: then it is sent again.
			created, err := all.Create(ctx, widget(), metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			sent, got := []string{test.write}, []string{test.read}
			if refused {
				sent, got = append(sent, test.later), []string{inJSON, test.read}
			}
			expect("create", sent, got)
			if created.GetUID() == "" || !reflect.DeepEqual(created.Object["spec"], widget().Object["spec"]) {
				t.Errorf("created %v", created)
			}
			created.Object["spec"] = map[string]any{"size": int64(4), "ratio": 1.5, "list": []any{"é", nil, true, map[string]any{}}}
			updated, err := all.Update(ctx, created, metav1.UpdateOptions{})
			if err != nil || !reflect.DeepEqual(updated.Object["spec"], created.Object["spec"]) {
				t.Errorf("%v, %v; want %v", updated, err, created)
			}
			expect("update", []string{test.later}, []string{test.read})
			read, err := all.Get(ctx, "w", metav1.GetOptions{})
			if err != nil || !reflect.DeepEqual(read, updated) {
				t.Errorf("%v, %v; want %v", read, err, updated)
			}
			expect("get", nil, []string{test.read})
			applied := widget()
			applied.Object["spec"] = map[string]any{"size": int64(5)}
			if applied, err = all.Apply(ctx, "w", applied, metav1.ApplyOptions{FieldManager: "me", Force: true}); err != nil || applied.Object["spec"].(map[string]any)["size"] != int64(5) {
				t.Errorf("applied: %v, %v", applied, err)
			}
			expect("apply", []string{test.laterApply}, []string{test.read})
			if _, err := all.Patch(ctx, "w", types.MergePatchType, []byte(`{"spec":{"size":6}}`), metav1.PatchOptions{}); err != nil {
				t.Error(err)
			}
			expect("patch", []string{string(types.MergePatchType)}, []string{test.read})
			list, err := all.List(ctx, metav1.ListOptions{})
			if err != nil || len(list.Items) != 1 || list.Items[0].GetName() != "w" || list.GetResourceVersion() == "" || list.GetKind() != "WidgetList" {
				t.Errorf("list: %v, %v", list, err)
			}
			expect("list", nil, []string{test.read})
			_, err = all.Get(ctx, "none", metav1.GetOptions{})
			if !apierrors.IsNotFound(err) {
				t.Errorf("an error: %v", err)
			}
			expect("an error", nil, []string{test.read})

			events, err := all.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
			if err != nil {
				t.Fatal(err)
			}
			defer events.Stop()
			expect("watch", nil, []string{test.watch})
			if err := all.Delete(ctx, "w", metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
			expect("delete", []string{test.later}, []string{test.read})
			if e := <-events.ResultChan(); e.Type != watch.Deleted || e.Object.(*unstructured.Unstructured).GetName() != "w" {
				t.Errorf("event %v", e)
			}

			// The items of a list of a built-in kind do not say what they are.
			maps := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace("ns")
			for _, name := range []string{"a", "b"} {
				config := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name}, "binaryData": map[string]any{"x": "AAEC"}}}
				if _, err := maps.Create(ctx, config, metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			for range 10 { // whatever the order of the entries
				w.take()
				items, err := maps.(dynamic.Requester).ListRequest(metav1.ListOptions{}).Items(ctx)
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				for raw, err := range items.All() {
					u := &unstructured.Unstructured{}
					if err == nil {
						err = raw.Into(u)
					}
					if err != nil || u.GetKind() != "ConfigMap" || u.GetAPIVersion() != "v1" || u.Object["binaryData"].(map[string]any)["x"] != "AAEC" {
						t.Fatalf("%v, %v", u, err)
					}
					n++
				}
				if m, err := items.ListMeta(); n != 2 || err != nil || m.ResourceVersion == "" {
					t.Fatalf("%d items, %+v, %v", n, m, err)
				}
				_ = items.Close()
				expect("items", nil, []string{test.read})
			}
		})
	}
}

// TestCBORApplyRefused: a server-side apply that is the first to be refused is sent again.
func TestCBORApplyRefused(t *testing.T) {
	client, w := cborClient(t, apitest.Config{}, rest.Config{PreferCBOR: true})
	all := client.Resource(widgets).Namespace("ns")
	for _, want := range [][]string{{applyCBOR, applyYAML}, {applyYAML}} {
		if _, err := all.Apply(t.Context(), "w", widget(), metav1.ApplyOptions{FieldManager: "me"}); err != nil {
			t.Fatal(err)
		}
		if sent, _ := w.take(); !slices.Equal(sent, want) {
			t.Errorf("sent %q, want %q", sent, want)
		}
	}
}

// TestCBORWrongBody: what a server says about a body in CBOR that is none.
func TestCBORWrongBody(t *testing.T) {
	client, _ := cborClient(t, apitest.Config{CBOR: true}, rest.Config{PreferCBOR: true})
	all := client.Resource(widgets).Namespace("ns")
	if _, err := all.Create(t.Context(), widget(), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := all.Patch(t.Context(), "w", types.ApplyCBORPatchType, []byte("\xa1"), metav1.PatchOptions{FieldManager: "me"})
	if !apierrors.IsBadRequest(err) {
		t.Errorf("a broken apply: %v", err)
	}
	bad := widget()
	bad.SetName("")
	if _, err := all.Create(t.Context(), bad, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("a widget without a name: %v", err)
	}
}
