package rest

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vedette.dev/flowcontrol"
)

// heard is what Metrics were told, in words.
type heard struct {
	mu    sync.Mutex
	lines []string
}

func (h *heard) add(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, fmt.Sprintf(format, args...))
}

func (h *heard) Throttled(verb, host string, waited time.Duration) {
	h.add("%s %s waited %v", verb, host, waited)
}

func (h *heard) Attempted(a Attempt) {
	h.add("%s %s code %d retry %t sent %d", a.Verb, a.Host, a.Code, a.Retry, a.Sent)
}

func (h *heard) Finished(verb, host string, took time.Duration, received int64) {
	h.add("%s %s took %v received %d", verb, host, took, received)
}

func (h *heard) expect(t *testing.T, want ...string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Equal(h.lines, want) {
		t.Errorf("heard\n\t%s\nwant\n\t%s", strings.Join(h.lines, "\n\t"), strings.Join(want, "\n\t"))
	}
	h.lines = nil
}

// measured is a client whose server answers after a second, without a network.
func measured(t *testing.T, h http.HandlerFunc, limiter flowcontrol.RateLimiter) (*RESTClient, *heard) {
	metrics := &heard{}
	config := configFor("http://host:1")
	config.Metrics, config.RateLimiter = metrics, limiter
	config.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		time.Sleep(time.Second)
		return handled(h)(r)
	})
	return newTestClient(t, CopyConfig(config)), metrics
}

func TestMetricsOfShortRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := toJSON(t, pod("a"))
		client, m := measured(t, answer(200, "application/json", body), nil)
		got := fmt.Sprintf("GET host:1 took 1s received %d", len(body))
		if err := client.Get().AbsPath("/x").Do(background).Error(); err != nil {
			t.Fatal(err)
		}
		m.expect(t, "GET host:1 code 200 retry false sent 0", got)
		if _, err := client.Get().AbsPath("/x").DoRaw(background); err != nil {
			t.Fatal(err)
		}
		m.expect(t, "GET host:1 code 200 retry false sent 0", got)
		client.Post().AbsPath("/x").Body([]byte("12345")).Do(background)
		m.expect(t, "POST host:1 code 200 retry false sent 5", strings.Replace(got, "GET", "POST", 1))
		client.Put().AbsPath("/x").Body(io.MultiReader(strings.NewReader("12345"))).Do(background)
		m.expect(t, "PUT host:1 code 200 retry false sent -1", strings.Replace(got, "GET", "PUT", 1))
	})
}

// An answer that is read as it comes is finished when it has been read, a watch when it has begun.
func TestMetricsOfStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := []byte(`{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"}}]}`)
		client, m := measured(t, answer(200, "application/json", list), nil)
		items, err := client.Get().AbsPath("/x").Items(background)
		if err != nil {
			t.Fatal(err)
		}
		attempt := "GET host:1 code 200 retry false sent 0"
		m.expect(t, attempt)
		time.Sleep(time.Second)
		for _, err := range items.All() {
			if err != nil {
				t.Fatal(err)
			}
		}
		_ = items.Close()
		m.expect(t, fmt.Sprintf("GET host:1 took 2s received %d", len(list)))

		frames, err := client.Get().AbsPath("/x").Frames(background)
		if err != nil {
			t.Fatal(err)
		}
		_ = frames.Close()
		m.expect(t, attempt, "GET host:1 took 1s received -1")
		stream, err := client.Get().AbsPath("/x").Stream(background)
		if err != nil {
			t.Fatal(err)
		}
		_ = stream.Close()
		m.expect(t, attempt, "GET host:1 took 1s received -1")
	})
}

func TestMetricsOfRetriesAndFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failures := 1
		client, m := measured(t, func(w http.ResponseWriter, _ *http.Request) {
			if failures > 0 {
				failures--
				w.Header().Set("Retry-After", "3")
				w.WriteHeader(429)
				return
			}
			w.WriteHeader(404)
		}, nil)
		client.Get().AbsPath("/x").Do(background)
		m.expect(t, "GET host:1 code 429 retry false sent 0", "GET host:1 code 404 retry true sent 0", "GET host:1 took 5s received 0")

		client.Client.Transport = roundTripper(func(*http.Request) (*http.Response, error) { return nil, io.ErrClosedPipe })
		client.Get().AbsPath("/x").Do(background)
		m.expect(t, "GET host:1 code 0 retry false sent 0", "GET host:1 took 0s received -1")
		client.Get().Namespace("").Name("a").Do(background) // never sent
		m.expect(t)
	})
}

func TestMetricsOfTheRateLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, m := measured(t, answer(200, "", nil), flowcontrol.NewTokenBucketRateLimiter(0.5, 1))
		client.Get().AbsPath("/x").Do(background)
		m.expect(t, "GET host:1 waited 0s", "GET host:1 code 200 retry false sent 0", "GET host:1 took 1s received 0")
		client.Get().AbsPath("/x").Do(background)
		m.expect(t, "GET host:1 waited 1s", "GET host:1 code 200 retry false sent 0", "GET host:1 took 2s received 0")
	})
}

func TestNoMetricsCostNothing(t *testing.T) {
	r := newTestClient(t, configFor("http://host")).Get()
	resp := &http.Response{StatusCode: 200, Body: http.NoBody}
	if n := testing.AllocsPerRun(100, func() {
		began := r.c.began()
		r.throttled(began)
		r.attempted(resp, false)
		r.finished(began)
		r.measure(resp, began)
	}); n != 0 || resp.Body != http.NoBody {
		t.Errorf("%v allocations, and the body is a %T", n, resp.Body)
	}
}

func TestMetricsStayWithACopyAndOutOfSight(t *testing.T) {
	c := &Config{Host: "https://host", Metrics: &heard{lines: []string{"not to be shown"}}}
	for _, copied := range []*Config{CopyConfig(c), AnonymousClientConfig(c)} {
		if copied.Metrics != c.Metrics {
			t.Error("the copy has no metrics")
		}
		if text := fmt.Sprintf("%+v", copied); strings.Contains(text, "not to be shown") {
			t.Error(text)
		}
	}
}
