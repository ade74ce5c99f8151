//go:build !vedette_noconsole

package console

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vedette.dev/cache"
)

// counted is an informer that counts how often it is asked, and has heard of as many events.
type counted struct{ asked atomic.Int64 }

func (c *counted) State() cache.State {
	n := c.asked.Add(1)
	return cache.State{Name: "counted", Type: "*v1.Pod", Phase: cache.PhaseWatching, Synced: true, LastEvent: time.Now(), Events: uint64(10 * n)}
}

func (c *counted) Informers() map[string]cache.StateReader {
	return map[string]cache.StateReader{"counted": c}
}

// viewer is a client that reads a stream.
type viewer struct {
	*httptest.ResponseRecorder
	mu    sync.Mutex
	text  strings.Builder
	leave context.CancelFunc
	done  chan struct{}
}

func (v *viewer) Write(data []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.text.Write(data)
}

func (v *viewer) read() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.text.String()
}

func (v *viewer) events(name string) int { return strings.Count(v.read(), "event: "+name+"\n") }

func watch(page *Page, view string) *viewer {
	ctx, leave := context.WithCancel(context.Background())
	v := &viewer{ResponseRecorder: httptest.NewRecorder(), leave: leave, done: make(chan struct{})}
	go func() {
		defer close(v.done)
		page.ServeHTTP(v, request(view).WithContext(ctx))
	}()
	return v
}

func TestNothingIsDoneWhenNobodyLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counted{}
		page := Handler(Config{Informers: []Informers{c}})
		time.Sleep(time.Hour)
		if n := c.asked.Load(); n != 0 {
			t.Errorf("asked %d times before anybody looked", n)
		}
		one, two := watch(page, "?stream=1"), watch(page, "charts?stream=1")
		time.Sleep(30*time.Second + time.Millisecond)
		// Two viewers cost one sample a second.
		if n := c.asked.Load(); n < 30 || n > 31 {
			t.Errorf("asked %d times in 30 seconds", n)
		}
		if n := one.events("view"); n < 2 {
			t.Errorf("%d views were sent", n)
		}
		if h, s := two.events("history"), two.events("sample"); h != 1 || s < 29 {
			t.Errorf("%d histories and %d samples were sent", h, s)
		}
		one.leave()
		two.leave()
		<-one.done
		<-two.done
		before := c.asked.Load()
		time.Sleep(time.Hour)
		if n := c.asked.Load(); n != before {
			t.Errorf("asked %d times after everybody had left", n-before)
		}
	})
}

func TestTheStreamIsTheView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := Handler(Config{Informers: []Informers{&counted{}}})
		v := watch(page, "?stream=1")
		time.Sleep(5*time.Second + time.Millisecond)
		v.leave()
		<-v.done
		if kind := v.Header().Get("Content-Type"); kind != "text/event-stream" {
			t.Errorf("content type %q", kind)
		}
		text := v.read()
		if !strings.HasPrefix(text, "retry: ") || strings.Contains(text, "<html") || !strings.Contains(text, "data: <main id=\"main\"") {
			t.Errorf("%s", text)
		}
		// Ten events a second are seen.
		if !strings.Contains(text, "<b>10</b> <span>events/s</span>") {
			t.Error("the rate is not in the last view")
		}
		for line := range strings.Lines(text) {
			if line != "\n" && !strings.HasPrefix(line, "data: ") && !strings.HasPrefix(line, "event: ") && !strings.HasPrefix(line, "retry: ") {
				t.Fatalf("this is no line of an event stream: %q", line)
			}
		}
	})
}

func TestStillViewsAreNotStreamed(t *testing.T) {
	page := Handler(Config{})
	for _, view := range []string{"objects?stream=1", "object?stream=1", "nonsense?stream=1"} {
		answer := httptest.NewRecorder()
		page.ServeHTTP(answer, request(view))
		if kind := answer.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/html") {
			t.Errorf("%s is %s", view, kind)
		}
	}
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := Handler(Config{})
		v := watch(page, "?stream=1")
		synctest.Wait()
		page.Close()
		page.Close()
		<-v.done
		<-watch(page, "charts?stream=1").done
		v.leave()
	})
}

func TestTooManyViewers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := Handler(Config{})
		for range maxViewers {
			watch(page, "?stream=1")
		}
		synctest.Wait()
		late := watch(page, "?stream=1")
		<-late.done
		if late.Code != http.StatusServiceUnavailable {
			t.Errorf("status %d", late.Code)
		}
		page.Close()
		synctest.Wait()
		if n := page.viewers.Load(); n != 0 {
			t.Errorf("%d viewers are left", n)
		}
	})
}

// A viewer who does not read is let go.
func TestAViewerWhoFails(t *testing.T) {
	page := Handler(Config{})
	page.ServeHTTP(brokenWriter{httptest.NewRecorder()}, request("?stream=1"))
	if n := page.viewers.Load(); n != 0 {
		t.Errorf("%d viewers are left", n)
	}
}

type brokenWriter struct{ http.ResponseWriter }

func (brokenWriter) Write([]byte) (int, error) { return 0, http.ErrHandlerTimeout }

func TestRunKeepsAPast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counted{}
		page := Handler(Config{Informers: []Informers{c}})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { page.Run(ctx); close(done) }()
		time.Sleep(20*time.Minute + time.Millisecond)
		if n := c.asked.Load(); n != 241 {
			t.Errorf("asked %d times in 20 minutes", n)
		}
		h, _ := page.sampler.history(time.Time{})
		if n := len(h.Times); n < 179 || n > 181 {
			t.Errorf("%d samples of the last 15 minutes, want 180", n)
		}
		text, err := json.Marshal(h)
		if err != nil || !strings.Contains(string(text), `"name":"counted","values":[2,2,2`) {
			t.Errorf("%.500s, %v", text, err)
		}
		cancel()
		<-done
	})
}

// Carriage returns end lines of server-sent events, too: what comes after one must not be taken for another field or event.
func TestEventLines(t *testing.T) {
	for data, want := range map[string]string{
		"one":                              "event: view\ndata: one\n\n",
		"one\ntwo\n":                       "event: view\ndata: one\ndata: two\n\n",
		"one\r\ntwo":                       "event: view\ndata: one\ndata: two\n\n",
		"one\r\revent: history\rdata: [1]": "event: view\ndata: one\ndata: \ndata: event: history\ndata: data: [1]\n\n",
		"one\n\ntwo":                       "event: view\ndata: one\ndata: \ndata: two\n\n",
		"":                                 "event: view\ndata: \n\n",
	} {
		var out bytes.Buffer
		if event(&out, "view", []byte(data)); out.String() != want {
			t.Errorf("%q is sent as %q, want %q", data, out.String(), want)
		}
	}
}
