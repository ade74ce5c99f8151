package rest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/testsize"
)

// both runs a test for both encodings of a body.
func both(t *testing.T, json, protobuf []byte, test func(*testing.T, Encoding, http.HandlerFunc)) {
	t.Helper()
	t.Run("JSON", func(t *testing.T) { test(t, JSON, answer(200, "application/json", json)) })
	t.Run("protobuf", func(t *testing.T) {
		test(t, Protobuf, answer(200, contentTypeProtobuf+";stream=watch", protobuf))
	})
}

func TestItems(t *testing.T) {
	list := &corev1.PodList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"},
		ListMeta: metav1.ListMeta{ResourceVersion: "9", Continue: "token"},
	}
	for i := range 50 {
		p := *pod(fmt.Sprint("pod-", i))
		p.TypeMeta = metav1.TypeMeta{} // as the server does in lists
		list.Items = append(list.Items, p)
	}
	both(t, toJSON(t, list), toProtobuf(t, "PodList", list), func(t *testing.T, encoding Encoding, h http.HandlerFunc) {
		items, err := serve(t, h).Get().Resource("pods").Items(background)
		if err != nil {
			t.Fatal(err)
		}
		defer items.Close()
		n := 0
		for item, err := range items.All() {
			if err != nil {
				t.Fatal(err)
			}
			var p corev1.Pod
			want := list.Items[n]
			meta, metaErr := item.Meta()
			if err := item.Into(&p); err != nil || metaErr != nil || p.Name != want.Name || meta.Key() != "ns/"+want.Name || meta.UID != want.UID {
				t.Fatalf("item %d: %q, %+v, %v, %v", n, p.Name, meta, err, metaErr)
			}
			if item.Kind != "Pod" || item.APIVersion != "v1" || item.Encoding != encoding {
				t.Fatalf("item %d is a %s %s in %s", n, item.APIVersion, item.Kind, item.Encoding)
			}
			n++
		}
		meta, err := items.ListMeta()
		if n != 50 || err != nil || meta.ResourceVersion != "9" || meta.Continue != "token" {
			t.Errorf("%d items, %+v, %v", n, meta, err)
		}
		if _, err := items.Next(); err != io.EOF {
			t.Errorf("after the end: %v", err)
		}
	})
}

// An item is handed on as soon as its bytes are there, and not when the list is complete.
func TestItemsComeEarly(t *testing.T) {
	rest := make(chan struct{})
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"first"}}`)
		w.(http.Flusher).Flush()
		<-rest
		fmt.Fprint(w, `,{"metadata":{"name":"second"}}]}`)
	})
	items, err := client.Get().Resource("pods").Items(background)
	if err != nil {
		t.Fatal(err)
	}
	defer items.Close()
	for _, want := range []string{"first", "second"} {
		item, err := items.Next()
		if err != nil {
			t.Fatal(err)
		}
		if meta, err := item.Meta(); err != nil || meta.Name != want {
			t.Fatalf("%+v, %v", meta, err)
		}
		if want == "first" {
			close(rest)
		}
	}
	if _, err := items.Next(); err != io.EOF {
		t.Error(err)
	}
}

// The memory of a stream is that of an item, whatever the length of the list.
func TestItemsMemory(t *testing.T) {
	n := testsize.Of(20_000, 4_000)
	item := toJSON(t, map[string]any{"metadata": map[string]any{"name": "p"}, "spec": strings.Repeat("x", 8000)})
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"kind":"PodList","apiVersion":"v1","items":[`)
		for i := range n {
			if i > 0 {
				fmt.Fprint(w, ",")
			}
			_, _ = w.Write(item)
		}
		fmt.Fprint(w, `],"metadata":{"resourceVersion":"1"}}`)
	})
	items, err := client.Get().Resource("pods").Items(background)
	if err != nil {
		t.Fatal(err)
	}
	defer items.Close()
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	count, peak := 0, uint64(0)
	for _, err := range items.All() {
		if err != nil {
			t.Fatal(err)
		}
		if count++; count%2000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
		}
	}
	if grown := int64(peak) - int64(before.HeapAlloc); count != n || grown > 4<<20 {
		t.Errorf("%d items, %d bytes more in use", count, grown)
	}
}

func TestItemsErrors(t *testing.T) {
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, Items: []corev1.Pod{*pod("a"), *pod("b")}}
	inJSON, inProtobuf := toJSON(t, list), toProtobuf(t, "PodList", list)
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"an error", answer(410, "application/json", toJSON(t, status(410, metav1.StatusReasonExpired))), "because of Expired"},
		{"HTML", answer(200, "text/html", []byte("<html>log in</html>")), "<html>log in"},
		{"no type", answer(200, "", []byte("x")), "not JSON, protobuf or CBOR"},
		{"a Status", answer(200, "application/json", toJSON(t, status(500, "x"))), "without items"},
		{"a Status in protobuf", answer(200, contentTypeProtobuf, toProtobuf(t, "Status", status(500, "x"))), ""},
		{"JSON, cut", answer(200, "application/json", inJSON[:len(inJSON)-2]), "interrupted after 2 items: unexpected EOF"},
		{"protobuf, cut", answer(200, contentTypeProtobuf, inProtobuf[:len(inProtobuf)-50]), "interrupted after 1 items: unexpected EOF"},
		{"JSON called protobuf", answer(200, contentTypeProtobuf, inJSON), "malformed protobuf"},
		{"protobuf called JSON", answer(200, "application/json", inProtobuf), "malformed JSON"},
		{"3 GB", answer(200, contentTypeProtobuf, []byte("k8s\x00\x12\xff\xff\xff\xff\x3f\x12\x80\x80\x80\x80\x0c")), "object too large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			items, err := serve(t, tt.handler).Get().Resource("pods").Items(background)
			if err == nil {
				defer items.Close()
				for _, err = range items.All() {
				}
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestFramesAndWatch(t *testing.T) {
	types := []watch.EventType{watch.Added, watch.Modified, watch.Bookmark, watch.Deleted}
	var inJSON, inProtobuf []byte
	for i, typ := range types {
		p := pod(fmt.Sprint("pod-", i))
		inJSON = append(inJSON, jsonFrame(t, typ, p)...)
		inProtobuf = append(inProtobuf, protobufFrame(t, typ, "Pod", p)...)
	}
	both(t, inJSON, inProtobuf, func(t *testing.T, encoding Encoding, h http.HandlerFunc) {
		client := serve(t, h)
		frames, err := client.Get().Resource("pods").Frames(background)
		if err != nil {
			t.Fatal(err)
		}
		defer frames.Close()
		for i, typ := range types {
			frame, err := frames.Next()
			if err != nil {
				t.Fatal(err)
			}
			meta, err := frame.Object.Meta()
			if err != nil || frame.Type != typ || meta.Name != fmt.Sprint("pod-", i) || frame.Object.Kind != "Pod" || frame.Object.Encoding != encoding || frame.Err() != nil {
				t.Fatalf("frame %d: %s %+v %v", i, frame.Type, meta, err)
			}
			var p corev1.Pod
			if err := frame.Object.Clone().Into(&p); err != nil || p.Labels["app"] != p.Name {
				t.Fatalf("%+v, %v", p, err)
			}
		}
		if _, err := frames.Next(); err != io.EOF {
			t.Errorf("at the end: %v", err)
		}

		w, err := client.Get().Resource("pods").Watch(background)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		for i, typ := range types {
			event := <-w.ResultChan()
			if p, ok := event.Object.(*corev1.Pod); !ok || event.Type != typ || p.Name != fmt.Sprint("pod-", i) {
				t.Fatalf("event %d: %+v", i, event)
			}
		}
		if event, open := <-w.ResultChan(); open {
			t.Errorf("one more event: %+v", event)
		}
	})
}

func TestWatchErrorEvent(t *testing.T) {
	gone := status(410, metav1.StatusReasonExpired)
	both(t, jsonFrame(t, watch.Error, gone), protobufFrame(t, watch.Error, "Status", gone), func(t *testing.T, _ Encoding, h http.HandlerFunc) {
		client := serve(t, h)
		frames, err := client.Get().Resource("pods").Frames(background)
		if err != nil {
			t.Fatal(err)
		}
		defer frames.Close()
		frame, err := frames.Next()
		if err != nil || !apierrors.IsResourceExpired(frame.Err()) {
			t.Errorf("%v, %v", frame, err)
		}
		w, err := client.Get().Resource("pods").Watch(background)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		if event := <-w.ResultChan(); event.Type != watch.Error || !apierrors.IsResourceExpired(apierrors.FromObject(event.Object)) {
			t.Errorf("%+v", event)
		}
	})
}

// What cannot be read ends a watch with an error event, and never with a panic.
func TestWatchGarbage(t *testing.T) {
	good := jsonFrame(t, watch.Added, pod("a"))
	tests := map[string]http.HandlerFunc{
		"garbage":            answer(200, "application/json", append(good, "}}}"...)),
		"unknown type":       answer(200, "application/json", jsonFrame(t, "EXPLODED", pod("a"))),
		"no object":          answer(200, "application/json", []byte(`{"type":"ADDED"}`)),
		"a number":           answer(200, "application/json", []byte(`7 `)),
		"object of a number": answer(200, "application/json", []byte(`{"type":"ADDED","object":7}`)),
		"unknown kind":       answer(200, "application/json", []byte(`{"type":"ADDED","object":{"kind":"X","apiVersion":"v9"}}`)),
		"wrong field":        answer(200, "application/json", []byte(`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":7}}`)),
		"protobuf garbage":   answer(200, contentTypeProtobuf, []byte{0, 0, 0, 3, 0xff, 0xff, 0xff}),
		"protobuf of 4 GB":   answer(200, contentTypeProtobuf, bytes.Repeat([]byte{0xff}, 100)),
		"protobuf, no magic": answer(200, contentTypeProtobuf, []byte{0, 0, 0, 13, 10, 5, 'A', 'D', 'D', 'E', 'D', 18, 4, 10, 2, 'x', 'y'}),
	}
	for name, handler := range tests {
		t.Run(name, func(t *testing.T) {
			w, err := serve(t, handler).Get().Resource("pods").Watch(background)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
			var last watch.Event
			for event := range w.ResultChan() {
				last = event
			}
			status, ok := last.Object.(*metav1.Status)
			if !ok || last.Type != watch.Error || status.Code != 500 || status.Details.Causes[1].Type != "ClientWatchDecoding" {
				t.Errorf("the last event is %+v", last)
			}
		})
	}
}

func TestWatchThatDoesNotBegin(t *testing.T) {
	client := serve(t, answer(200, "text/html", []byte("<html>")))
	if _, err := client.Get().Resource("pods").Watch(background); err == nil || !strings.Contains(err.Error(), "text/html") {
		t.Errorf("HTML: %v", err)
	}
	client = serve(t, answer(403, "application/json", toJSON(t, status(403, metav1.StatusReasonForbidden))))
	if _, err := client.Get().Resource("pods").Watch(background); !apierrors.IsForbidden(err) {
		t.Errorf("403: %v", err)
	}
	config := configFor("http://host")
	config.Transport = roundTripper(func(*http.Request) (*http.Response, error) { return nil, io.EOF })
	w, err := newTestClient(t, config).Get().Resource("pods").MaxRetries(0).Watch(background)
	if err != nil {
		t.Fatal(err)
	}
	if event, open := <-w.ResultChan(); open {
		t.Errorf("an empty watch has the event %+v", event)
	}
}

// Stop ends a watch that hears nothing, and frees its connection.
func TestWatchStop(t *testing.T) {
	left := make(chan struct{})
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	})
	w, err := client.Get().Resource("pods").Watch(background)
	if err != nil {
		t.Fatal(err)
	}
	w.Stop()
	select {
	case <-left:
	case <-time.After(10 * time.Second):
		t.Fatal("the server still has the watch")
	}
	for range w.ResultChan() {
	}
}

func TestRawIntoUnstructured(t *testing.T) {
	raw := Raw{Encoding: JSON, APIVersion: "v1", Kind: "Pod", Bytes: []byte(`{"metadata":{"name":"a"},"spec":{"n":9007199254740993}}`)}
	var u unstructured.Unstructured
	if err := raw.Into(&u); err != nil || u.GetKind() != "Pod" || u.GetName() != "a" {
		t.Errorf("%v, %v", u, err)
	}
	if n, _, _ := unstructured.NestedInt64(u.Object, "spec", "n"); n != 9007199254740993 {
		t.Errorf("a number became %d", n)
	}
	raw = Raw{Encoding: Protobuf, Kind: "Pod"}
	if err := raw.Into(&u); err == nil || !strings.Contains(err.Error(), "request JSON") {
		t.Errorf("protobuf: %v", err)
	}
	raw = Raw{Encoding: JSON, Bytes: []byte("null")}
	if err := raw.Into(&u); err == nil {
		t.Error("null is an object")
	}
}
