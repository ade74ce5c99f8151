package rest

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// A list ends before the body that carries it does. Reading on to the end of the body is what lets the connection be
// used again, even when that end comes late.
func TestItemsLeaveTheConnectionUsable(t *testing.T) {
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"}}]}`)
		w.(http.Flusher).Flush()
		time.Sleep(5 * time.Millisecond)
		fmt.Fprint(w, "\n")
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := newTestClient(t, configFor(server.URL))
	for range 5 {
		items, err := client.Get().Resource("pods").Items(background)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range items.All() {
			if err != nil {
				t.Fatal(err)
			}
		}
		items.Close()
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections for 5 lists", n)
	}
}

// Two objects decoded into one variable are not mixed, in either encoding.
func TestIntoForgetsWhatWasThere(t *testing.T) {
	first := pod("a")
	first.Spec.NodeName = "node"
	second := &corev1.Pod{}
	second.Name = "b"
	body, err := second.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []Raw{{Encoding: JSON, Bytes: toJSON(t, second)}, {Encoding: Protobuf, Bytes: body}} {
		got := first.DeepCopy()
		if err := raw.Into(got); err != nil || got.Name != "b" || got.Labels != nil || got.Spec.NodeName != "" {
			t.Errorf("%s: %+v, %v", raw.Encoding, got, err)
		}
	}
}
