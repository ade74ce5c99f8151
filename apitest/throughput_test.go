package apitest_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/internal/testsize"
)

// bigPod is a pod of some 8 KB of JSON.
func bigPod(name string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Labels: map[string]string{"app": "big"}}}
	for i := range 4 {
		c := corev1.Container{Name: fmt.Sprintf("c%d", i), Image: "registry.example/application/server:v1.2.3"}
		for j := range 20 {
			c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprintf("VARIABLE_%d", j), Value: "a value of which there are many in every pod"})
		}
		pod.Spec.Containers = append(pod.Spec.Containers, c)
	}
	return pod
}

// Many watchers get every one of many changes, in order, whatever the speed. The speed, which is logged, is the server's:
// the watchers do no more than look for the name.
func TestThroughput(t *testing.T) {
	events, watchers := testsize.Of(3000, 100), 50
	for _, media := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		t.Run(media, func(t *testing.T) {
			server := apitest.New(t, apitest.Config{PlainHTTP: true})
			var looking sync.WaitGroup
			for i := range watchers {
				body := openWatch(t, server, media)
				looking.Go(func() {
					defer body.Close()
					if err := expectPods(body, media, events); err != nil {
						t.Errorf("watcher %d: %v", i, err)
					}
				})
			}
			began := time.Now()
			for i := range events {
				if err := server.Put(bigPod(fmt.Sprintf("p%05d", i))); err != nil {
					t.Fatal(err)
				}
			}
			looking.Wait()
			t.Logf("%d events to %d watchers: %.0f a second", events, watchers, float64(events)/time.Since(began).Seconds())
		})
	}
}

func openWatch(t *testing.T, server *apitest.Server, media string) io.ReadCloser {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		server.URL()+"/api/v1/pods?watch=true&resourceVersion="+server.ResourceVersion(), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+apitest.AdminToken)
	req.Header.Set("Accept", media)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	return resp.Body
}

// expectPods reads frames, each of which must be the next pod.
func expectPods(body io.Reader, media string, count int) error {
	reader := bufio.NewReaderSize(body, 64<<10)
	for i := range count {
		frame, err := readFrame(reader, media)
		if err != nil {
			return fmt.Errorf("after %d events: %w", i, err)
		}
		const near = 200 // the name is the first thing in the metadata
		if want := fmt.Sprintf("p%05d", i); !bytes.Contains(frame[:near], []byte(want)) {
			return fmt.Errorf("got %.200s, want %s", frame, want)
		}
	}
	return nil
}

// readFrame returns a frame that is valid until the next one.
func readFrame(reader *bufio.Reader, media string) ([]byte, error) {
	if media == "application/json" {
		return reader.ReadSlice('\n')
	}
	header, err := reader.Peek(4)
	if err != nil {
		return nil, err
	}
	length := 4 + int(binary.BigEndian.Uint32(header))
	frame, err := reader.Peek(length)
	if err != nil {
		return nil, err
	}
	_, err = reader.Discard(length)
	return frame, err
}
