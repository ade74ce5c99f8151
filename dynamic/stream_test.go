package dynamic_test

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/dynamic"
	"vedette.dev/rest"
)

const frames = `{"type":"ADDED","object":` + aWidget + `}
{"type":"BOOKMARK","object":{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"resourceVersion":"12"}}}
{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","message":"too old","code":410}}
`

func TestWatch(t *testing.T) {
	client := start(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.URL.RequestURI(); got != "/apis/example.com/v1/namespaces/ns/widgets?allowWatchBookmarks=true&resourceVersion=3&watch=true" {
			t.Errorf("asked for %s", got)
		}
		send(w, 200, "application/json", frames)
	})
	events, err := client.Resource(widgets).Namespace("ns").Watch(t.Context(), metav1.ListOptions{ResourceVersion: "3", AllowWatchBookmarks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	added := <-events.ResultChan()
	if obj, ok := added.Object.(*unstructured.Unstructured); added.Type != watch.Added || !ok || obj.GetName() != "w" {
		t.Errorf("first %v %T", added.Type, added.Object)
	}
	bookmark := <-events.ResultChan()
	if obj, ok := bookmark.Object.(*unstructured.Unstructured); bookmark.Type != watch.Bookmark || !ok || obj.GetResourceVersion() != "12" {
		t.Errorf("second %v %T", bookmark.Type, bookmark.Object)
	}
	failure := <-events.ResultChan()
	if status, ok := failure.Object.(*metav1.Status); failure.Type != watch.Error || !ok || status.Reason != metav1.StatusReasonExpired {
		t.Errorf("third %v %T", failure.Type, failure.Object)
	}
	if event, ok := <-events.ResultChan(); ok {
		t.Errorf("and %v", event)
	}
}

// An object that cannot be read becomes an error in the watch.
func TestWatchOfSomethingElse(t *testing.T) {
	client := start(t, func(w http.ResponseWriter, _ *http.Request) {
		send(w, 200, "application/json", `{"type":"ADDED","object":{"metadata":{}}}`)
	})
	events, err := client.Resource(widgets).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	event := <-events.ResultChan()
	if status, ok := event.Object.(*metav1.Status); event.Type != watch.Error || !ok || !strings.Contains(status.Message, "no kind") {
		t.Errorf("%v %v", event.Type, event.Object)
	}
}

// Informers read lists item by item and watches frame by frame.
func TestRequester(t *testing.T) {
	client := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "true" {
			send(w, 200, "application/json", frames)
			return
		}
		send(w, 200, "application/json", `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"9"},"items":[`+aWidget+`]}`)
	})
	requester, ok := client.Resource(widgets).Namespace("ns").(dynamic.Requester)
	if !ok {
		t.Fatal("a resource hands out no requests")
	}
	items, err := requester.ListRequest(metav1.ListOptions{}).Items(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = items.Close() }()
	n := 0
	for item, err := range items.All() {
		obj := &unstructured.Unstructured{}
		if err != nil || item.Into(obj) != nil || obj.GetName() != "w" {
			t.Errorf("item %v, %v", obj, err)
		}
		n++
	}
	if meta, err := items.ListMeta(); n != 1 || err != nil || meta.ResourceVersion != "9" {
		t.Errorf("%d items of %v, %v", n, meta, err)
	}
	events, err := requester.WatchRequest(metav1.ListOptions{}).Frames(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = events.Close() }()
	if frame, err := events.Next(); err != nil || frame.Type != watch.Added {
		t.Errorf("frame %v, %v", frame, err)
	}
}

func TestConfigs(t *testing.T) {
	config := &rest.Config{Host: "http://127.0.0.1:1", ContentConfig: rest.ContentConfig{ContentType: "application/vnd.kubernetes.protobuf"}}
	made := dynamic.ConfigFor(config)
	if made.ContentType != "application/json" || made.AcceptContentTypes != "application/json" || made.UserAgent == "" || made.NegotiatedSerializer == nil {
		t.Errorf("config %v", made)
	}
	if config.ContentType != "application/vnd.kubernetes.protobuf" || config.NegotiatedSerializer != nil {
		t.Error("the caller's config was changed")
	}
	if dynamic.NewForConfigOrDie(config) == nil {
		t.Error("no client")
	}
	if _, err := dynamic.NewForConfig(&rest.Config{Host: "::"}); err == nil {
		t.Error("a client for a host that is none")
	}
	defer func() {
		if recover() == nil {
			t.Error("a bad config was no reason to die")
		}
	}()
	dynamic.NewForConfigOrDie(&rest.Config{Host: "::"})
}
