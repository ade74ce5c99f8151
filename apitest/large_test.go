package apitest_test

import (
	"io"
	"net/http"
	"runtime"
	"testing"
	"time"

	"vedette.dev/apitest"
	"vedette.dev/internal/testsize"
)

// A hundred thousand pods can be filled in and listed. Times and memory are logged. With the race detector, which makes
// minutes of it, they are fewer.
func TestAHundredThousandPods(t *testing.T) {
	count := 100_000
	if raceDetector {
		count = testsize.Of(3_000, 500)
	}
	server := apitest.New(t, apitest.Config{PlainHTTP: true})
	heap := heapInUse()
	began := time.Now()
	if err := server.Fill(t.Context(), apitest.Load{Pods: count}); err != nil {
		t.Fatal(err)
	}
	t.Logf("filled in %v, %d bytes of memory a pod", time.Since(began).Round(time.Millisecond), (heapInUse()-heap)/int64(count))
	for _, media := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		began := time.Now()
		size := listAll(t, server, "/api/v1/pods", media)
		t.Logf("%s: %d MB in %v", media, size>>20, time.Since(began).Round(time.Millisecond))
	}
	began = time.Now()
	size := listAll(t, server, "/api/v1/pods?limit=500", "application/vnd.kubernetes.protobuf")
	t.Logf("a page of 500: %d KB in %v", size>>10, time.Since(began).Round(time.Microsecond))
}

func heapInUse() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func listAll(t *testing.T, server *apitest.Server, path, media string) int64 {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+apitest.AdminToken)
	req.Header.Set("Accept", media)
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	size, err := io.Copy(io.Discard, resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v", resp.Status, err)
	}
	return size
}
