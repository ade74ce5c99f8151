package apitest_test

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/internal/testsize"
)

// From nothing to the first answer, and again: what a server needs is made once for all of them.
func TestAThousandServers(t *testing.T) {
	count := testsize.Of(1000, 100)
	one(t) // whatever is made once
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	goroutines := runtime.NumGoroutine()
	began := time.Now()
	for range count {
		one(t)
	}
	t.Logf("%v a server", time.Since(began)/time.Duration(count))
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > int64(count)*10_000 {
		t.Errorf("%d servers left %d bytes behind", count, grown)
	}
	if now := runtime.NumGoroutine(); now > goroutines+10 {
		t.Errorf("%d goroutines, and %d before", now, goroutines)
	}
}

func one(t *testing.T) {
	server, err := apitest.Start(apitest.Config{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	transport := &http.Transport{DialContext: server.RESTConfig().Dial}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL()+"/api/v1/namespaces/default", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+apitest.AdminToken)
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s, %v", resp.Status, err)
	}
}

// Close ends watches and waits for them.
func TestCloseEndsWatches(t *testing.T) {
	for name, config := range ways {
		t.Run(name, func(t *testing.T) {
			server := apitest.New(t, config)
			client := clientset(t, server.RESTConfig())
			w, err := client.CoreV1().Pods("").Watch(context.Background(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			server.Close()
			server.Close()
			for range w.ResultChan() {
			}
			if _, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}); err == nil {
				t.Error("a closed server answers")
			}
		})
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		server, err := apitest.Start(apitest.Config{})
		if err != nil {
			b.Fatal(err)
		}
		server.Close()
	}
}
