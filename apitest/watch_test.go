package apitest_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
)

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
}

// A thousand watches on one resource, and all of them hear of a change.
func TestAThousandWatches(t *testing.T) {
	count := 1000
	if testing.Short() {
		count = 100
	}
	server := apitest.New(t, apitest.Config{InMemory: true})
	client := clientset(t, server.RESTConfig())
	var ready, heard sync.WaitGroup
	for range count {
		ready.Add(1)
		heard.Go(func() {
			w, err := client.CoreV1().ConfigMaps("default").Watch(t.Context(), metav1.ListOptions{ResourceVersion: server.ResourceVersion()})
			ready.Done()
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Stop()
			for _, kind := range []watch.EventType{watch.Added, watch.Deleted} {
				if event := <-w.ResultChan(); event.Type != kind {
					t.Errorf("got %+v, want %s", event, kind)
				}
			}
		})
	}
	ready.Wait()
	if _, err := server.Create(t.Context(), configMap("a")); err != nil {
		t.Fatal(err)
	}
	if err := server.Delete(t.Context(), configMap("a"), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	heard.Wait()
}

// A client that does not read is cut off when the history has gone on without it. Others do not notice.
func TestSlowWatcherIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true, History: 100})
		conn, err := server.RESTConfig().Dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		request := "GET /api/v1/configmaps?watch=1&resourceVersion=" + server.ResourceVersion() +
			" HTTP/1.1\r\nHost: apitest\r\nAuthorization: Bearer " + apitest.AdminToken + "\r\n\r\n"
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the header waits to be read
		for range 300 {
			if _, err := server.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "m-", Namespace: "default"}}); err != nil {
				t.Fatal(err)
			}
		}
		events := readEvents(t, conn)
		if events >= 300 {
			t.Errorf("%d events", events)
		}
		server.Close()
	})
}

// readEvents counts what comes until the answer ends.
func readEvents(t *testing.T, conn net.Conn) (count int) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	buffer := make([]byte, 4096)
	for !strings.HasSuffix(all.String(), "\r\n0\r\n\r\n") {
		n, err := conn.Read(buffer)
		all.Write(buffer[:n])
		if err != nil {
			t.Fatalf("the watch did not end: %v", err)
		}
	}
	return strings.Count(all.String(), `{"type":"ADDED"`)
}

// A watch of a version that is forgotten is answered with an event, as the real server does.
func TestWatchOfTheForgottenPast(t *testing.T) {
	server := apitest.New(t, apitest.Config{InMemory: true})
	old := server.ResourceVersion()
	if _, err := server.Create(t.Context(), configMap("a")); err != nil {
		t.Fatal(err)
	}
	server.Compact()
	transport := &http.Transport{DialContext: server.RESTConfig().Dial}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL()+"/api/v1/configmaps?watch=1&resourceVersion="+old, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+apitest.AdminToken)
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var event struct {
		Type   string
		Object metav1.Status
	}
	if err := json.NewDecoder(resp.Body).Decode(&event); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK || event.Type != "ERROR" || event.Object.Code != http.StatusGone || event.Object.Reason != metav1.StatusReasonExpired {
		t.Errorf("%s: %+v", resp.Status, event)
	}
}
