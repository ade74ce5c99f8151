package cache_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/cache"
	typed "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/rest"
)

// TestALongListIsDecodedOnSeveralProcessors: all objects are there, those that cannot be decoded are named, and what the store had of
// them stays when they are listed again.
func TestALongListIsDecodedOnSeveralProcessors(t *testing.T) {
	const objects = 1000
	bad := func(i int) bool { return i%333 == 5 }
	var lists atomic.Int64
	again := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("sendInitialEvents") != "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if r.URL.Query().Get("watch") != "" {
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			select {
			case <-again:
				_ = json.NewEncoder(w).Encode(map[string]any{"type": "ERROR", "object": map[string]any{
					"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Expired", "code": 410,
				}})
			case <-r.Context().Done():
			}
			return
		}
		n := lists.Add(1)
		var items []string
		for i := range objects {
			data := fmt.Sprintf(`{"n":"%d"}`, i)
			if n > 1 && bad(i) {
				data = `["not a map"]`
			}
			items = append(items, fmt.Sprintf(`{"metadata":{"namespace":"ns","name":"m%04d","uid":"u%d","resourceVersion":"%d"},"data":%s}`, i, i, n, data))
		}
		fmt.Fprintf(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`, n, strings.Join(items, ","))
	}))
	defer server.Close()
	client, err := typed.NewForConfig(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	informer := cache.NewSharedIndexInformer(cache.NewListWatchFromClient(client.RESTClient(), "configmaps", "", nil), &corev1.ConfigMap{}, 0, nil)
	stop := make(chan struct{})
	ended := make(chan struct{})
	go func() { defer close(ended); informer.Run(stop) }()
	defer func() { close(stop); <-ended }()
	if !cache.WaitForCacheSync(t.Context().Done(), informer.HasSynced) {
		t.Fatal("not synced")
	}
	// problem says what is wrong with the store after a first list, or after a later one.
	problem := func(first bool) error {
		if n := len(informer.GetStore().ListKeys()); n != objects {
			return fmt.Errorf("%d objects, want %d", n, objects)
		}
		for i := range objects {
			obj, _, _ := informer.GetStore().GetByKey(fmt.Sprintf("ns/m%04d", i))
			cm, ok := obj.(*corev1.ConfigMap)
			if !ok || cm.Data["n"] != fmt.Sprint(i) || (cm.ResourceVersion == "1") != (first || bad(i)) {
				return fmt.Errorf("object %d is %v", i, obj)
			}
		}
		return nil
	}
	if err := problem(true); err != nil {
		t.Fatal(err)
	}
	close(again)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		err := problem(false)
		if n := cache.StateOf(informer).Undecodable; err == nil && n < 3 {
			err = fmt.Errorf("%d objects could not be decoded, want 3 in each list", n)
		}
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
