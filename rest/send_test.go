package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"vedette.dev/flowcontrol"
)

// script answers each attempt with the next step; the last one is repeated.
type step struct {
	code  int
	after string
	err   error
}

func scripted(steps ...step) (roundTripper, *atomic.Int32) {
	var n atomic.Int32
	return func(r *http.Request) (*http.Response, error) {
		s := steps[min(int(n.Add(1))-1, len(steps)-1)]
		if s.err != nil {
			return nil, s.err
		}
		return handled(func(w http.ResponseWriter, r *http.Request) {
			if s.after != "" {
				w.Header().Set("Retry-After", s.after)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(s.code)
			fmt.Fprint(w, `{"kind":"Pod","apiVersion":"v1"}`)
		})(r)
	}, &n
}

func scriptedClient(t *testing.T, steps ...step) (*RESTClient, *atomic.Int32) {
	rt, n := scripted(steps...)
	config := configFor("http://host")
	config.Transport = rt
	return newTestClient(t, config), n
}

func TestRetries(t *testing.T) {
	reset := &wrappedError{syscall.ECONNRESET}
	tests := []struct {
		name     string
		steps    []step
		request  func(*RESTClient) *Request
		attempts int32
		took     time.Duration
		wantErr  string
	}{
		{name: "none needed", steps: []step{{code: 200}}, attempts: 1},
		{name: "429 with a time", steps: []step{{code: 429, after: "2"}, {code: 429, after: "3"}, {code: 200}}, attempts: 3, took: 5 * time.Second},
		{name: "503 with a time", steps: []step{{code: 503, after: "1"}, {code: 200}}, attempts: 2, took: time.Second},
		{name: "429 without a time", steps: []step{{code: 429}}, attempts: 1, wantErr: "too many requests"},
		{name: "500 without a time", steps: []step{{code: 500}}, attempts: 1, wantErr: "an error on the server"},
		{name: "404 with a time", steps: []step{{code: 404, after: "1"}}, attempts: 1, wantErr: "could not find"},
		{name: "negative time", steps: []step{{code: 429, after: "-5"}, {code: 200}}, attempts: 2},
		{name: "nonsense for a time", steps: []step{{code: 429, after: "soon"}}, attempts: 1, wantErr: "too many"},
		{name: "ten times and no more", steps: []step{{code: 429, after: "1"}}, attempts: 11, took: 10 * time.Second, wantErr: "too many"},
		{name: "fewer if asked", steps: []step{{code: 429, after: "1"}}, request: func(c *RESTClient) *Request { return c.Get().MaxRetries(2) }, attempts: 3, took: 2 * time.Second, wantErr: "too many"},
		{name: "never if asked", steps: []step{{code: 429, after: "1"}}, request: func(c *RESTClient) *Request { return c.Get().MaxRetries(-1) }, attempts: 1, wantErr: "too many"},
		{name: "GET, connection reset", steps: []step{{err: reset}, {err: io.EOF}, {err: errors.New("http2: client connection lost")}, {code: 200}}, attempts: 4, took: 3 * time.Second},
		{name: "POST, connection reset", steps: []step{{err: reset}}, request: func(c *RESTClient) *Request { return c.Post().Body([]byte("x")) }, attempts: 1, wantErr: "connection reset"},
		{name: "POST, 429", steps: []step{{code: 429, after: "1"}, {code: 200}}, request: func(c *RESTClient) *Request { return c.Post().Body([]byte("x")) }, attempts: 2, took: time.Second},
		{name: "a reader is read once", steps: []step{{code: 429, after: "1"}}, request: func(c *RESTClient) *Request { return c.Post().Body(strings.NewReader("x")) }, attempts: 1, wantErr: "too many"},
		{name: "other errors", steps: []step{{err: errors.New("no route")}}, attempts: 1, wantErr: "no route"},
		{name: "what was before", steps: []step{{err: reset}, {err: errors.New("no route")}}, attempts: 2, took: time.Second,
			wantErr: "no route - error from a previous attempt: connection reset by peer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, n := scriptedClient(t, tt.steps...)
				request := (*RESTClient).Get
				if tt.request != nil {
					request = tt.request
				}
				begin := time.Now()
				err := request(client).Resource("pods").Do(t.Context()).Error()
				if took := time.Since(begin); n.Load() != tt.attempts || took != tt.took {
					t.Errorf("%d attempts in %v, want %d in %v", n.Load(), took, tt.attempts, tt.took)
				}
				if tt.wantErr == "" && err != nil || tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr)) {
					t.Errorf("error %v, want %q", err, tt.wantErr)
				}
			})
		})
	}
}

type wrappedError struct{ error }

func (w *wrappedError) Unwrap() error { return w.error }

func TestRetryAfterDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		date := time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)
		client, n := scriptedClient(t, step{code: 503, after: date}, step{code: 200})
		begin := time.Now()
		if err := client.Get().Resource("pods").Do(t.Context()).Error(); err != nil || n.Load() != 2 || time.Since(begin) != 90*time.Second {
			t.Errorf("%v after %d attempts in %v", err, n.Load(), time.Since(begin))
		}
	})
}

// A context that ends while a retry is waited for ends the request at once.
func TestCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := scriptedClient(t, step{code: 429, after: "3600"})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		begin := time.Now()
		err := client.Get().Resource("pods").Do(ctx).Error()
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		if !strings.Contains(err.Error(), "429") {
			t.Errorf("%v does not say why it waited", err)
		}
	})
}

// slowLimiter lets one through a second, and counts.
type slowLimiter struct {
	flowcontrol.RateLimiter
	waits    atomic.Int32
	observed []flowcontrol.Answer
}

func (l *slowLimiter) Wait(ctx context.Context) error {
	l.waits.Add(1)
	sleep(ctx, time.Second)
	return ctx.Err()
}

func (l *slowLimiter) Observe(a flowcontrol.Answer) { l.observed = append(l.observed, a) }

func TestThrottling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := scriptedClient(t, step{code: 429, after: "1"}, step{code: 200})
		limiter := &slowLimiter{}
		begin := time.Now()
		// The wait is not part of the time limit: 1 s for the limiter, then 1 s + 1 s for the retry.
		if err := client.Get().Resource("pods").Throttle(limiter).Timeout(2500 * time.Millisecond).Do(t.Context()).Error(); err != nil {
			t.Fatal(err)
		}
		if limiter.waits.Load() != 2 || time.Since(begin) != 3*time.Second {
			t.Errorf("%d waits in %v", limiter.waits.Load(), time.Since(begin))
		}
		if len(limiter.observed) != 2 || limiter.observed[0].StatusCode != 429 || limiter.observed[0].RetryAfter != time.Second || limiter.observed[1].StatusCode != 200 {
			t.Errorf("observed %+v", limiter.observed)
		}
		limiter = &slowLimiter{}
		w, err := client.Get().Resource("pods").Throttle(limiter).Watch(t.Context())
		if err != nil || limiter.waits.Load() != 0 {
			t.Fatalf("a watch waited %d times (%v)", limiter.waits.Load(), err)
		}
		w.Stop()
	})
}

func TestDefaultRateLimits(t *testing.T) {
	config := configFor("http://host")
	for _, tt := range []struct {
		qps  float32
		want float32
	}{{0, DefaultQPS}, {50, 50}} {
		config.QPS = tt.qps
		if got := newTestClient(t, config).GetRateLimiter().QPS(); got != tt.want {
			t.Errorf("QPS %v gives %v", tt.qps, got)
		}
	}
	config.QPS = -1
	if newTestClient(t, config).GetRateLimiter() != nil {
		t.Error("a negative QPS gives a limiter")
	}
	config.RateLimiter = flowcontrol.NewFakeAlwaysRateLimiter()
	if newTestClient(t, config).GetRateLimiter() != config.RateLimiter {
		t.Error("the limiter of the config is not used")
	}
	var none *RESTClient
	if none.GetRateLimiter() != nil {
		t.Error("a nil client has a limiter")
	}
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := configFor("http://host")
		config.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		begin := time.Now()
		err := newTestClient(t, config).Get().Resource("pods").Timeout(3 * time.Second).Do(t.Context()).Error()
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

func TestBackoffManager(t *testing.T) {
	t.Setenv("KUBE_CLIENT_BACKOFF_BASE", "1")
	t.Setenv("KUBE_CLIENT_BACKOFF_DURATION", "120")
	synctest.Test(t, func(t *testing.T) {
		client, _ := scriptedClient(t, step{code: 500}, step{code: 500}, step{code: 200})
		begin := time.Now()
		for range 2 {
			if err := client.Get().Resource("pods").Do(t.Context()).Error(); !apierrors.IsInternalError(err) {
				t.Fatal(err)
			}
		}
		if err := client.Get().Resource("pods").Do(t.Context()).Error(); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 3*time.Second { // 1 s before the second, 2 s before the third
			t.Errorf("took %v", took)
		}
		begin = time.Now()
		if err := client.Get().Resource("pods").Do(t.Context()).Error(); err != nil || time.Since(begin) != 0 {
			t.Errorf("after a success: %v in %v", err, time.Since(begin))
		}
	})
}
