package rest

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"vedette.dev/flowcontrol"
)

// BackoffManager computes how long to wait before a request, from the results of earlier requests to the same host.
type BackoffManager interface {
	UpdateBackoff(actualURL *url.URL, err error, responseCode int)
	CalculateBackoff(actualURL *url.URL) time.Duration
	Sleep(d time.Duration)
}

// BackoffManagerWithContext is a [BackoffManager] whose sleep ends with its context.
type BackoffManagerWithContext interface {
	UpdateBackoffWithContext(ctx context.Context, actualURL *url.URL, err error, responseCode int)
	CalculateBackoffWithContext(ctx context.Context, actualURL *url.URL) time.Duration
	SleepWithContext(ctx context.Context, d time.Duration)
}

// NoBackoff never delays requests by itself.
type NoBackoff struct{}

// UpdateBackoff does nothing.
func (n *NoBackoff) UpdateBackoff(*url.URL, error, int) {}

// UpdateBackoffWithContext does nothing.
func (n *NoBackoff) UpdateBackoffWithContext(context.Context, *url.URL, error, int) {}

// CalculateBackoff returns 0.
func (n *NoBackoff) CalculateBackoff(*url.URL) time.Duration { return 0 }

// CalculateBackoffWithContext returns 0.
func (n *NoBackoff) CalculateBackoffWithContext(context.Context, *url.URL) time.Duration { return 0 }

// Sleep waits for d.
func (n *NoBackoff) Sleep(d time.Duration) { time.Sleep(d) }

// SleepWithContext waits for d, or until ctx ends.
func (n *NoBackoff) SleepWithContext(ctx context.Context, d time.Duration) { sleep(ctx, d) }

// URLBackoff backs off exponentially for a host that answers with 429 or a server error.
type URLBackoff struct {
	Backoff *flowcontrol.Backoff
}

// Disable sets the backoff to 0 for all hosts.
func (b *URLBackoff) Disable() { b.Backoff = flowcontrol.NewBackOff(0, 0) }

// UpdateBackoff records a response.
func (b *URLBackoff) UpdateBackoff(actualURL *url.URL, err error, responseCode int) {
	b.UpdateBackoffWithContext(context.Background(), actualURL, err, responseCode)
}

// UpdateBackoffWithContext records a response.
func (b *URLBackoff) UpdateBackoffWithContext(_ context.Context, actualURL *url.URL, _ error, responseCode int) {
	if responseCode == http.StatusTooManyRequests || responseCode >= 500 {
		b.Backoff.Next(actualURL.Host, b.Backoff.Clock.Now())
		return
	}
	b.Backoff.Reset(actualURL.Host)
}

// CalculateBackoff returns how long to wait before the next request to that host.
func (b *URLBackoff) CalculateBackoff(actualURL *url.URL) time.Duration {
	return b.Backoff.Get(actualURL.Host)
}

// CalculateBackoffWithContext returns how long to wait before the next request to that host.
func (b *URLBackoff) CalculateBackoffWithContext(_ context.Context, actualURL *url.URL) time.Duration {
	return b.CalculateBackoff(actualURL)
}

// Sleep waits for d on the clock of the backoff.
func (b *URLBackoff) Sleep(d time.Duration) { b.Backoff.Clock.Sleep(d) }

// SleepWithContext waits for d on the clock of the backoff, or until ctx ends.
func (b *URLBackoff) SleepWithContext(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := b.Backoff.Clock.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C():
	}
}

// BackOff sets the backoff manager of the request; nil means none.
func (r *Request) BackOff(manager BackoffManager) *Request {
	r.backoff = nil
	if manager != nil {
		r.backoff = contextlessBackoff{manager}
	}
	return r
}

// BackOffWithContext sets the backoff manager of the request; nil means none.
func (r *Request) BackOffWithContext(manager BackoffManagerWithContext) *Request {
	r.backoff = manager
	return r
}

// contextlessBackoff adapts managers without contexts.
type contextlessBackoff struct{ BackoffManager }

func (b contextlessBackoff) UpdateBackoffWithContext(_ context.Context, u *url.URL, err error, code int) {
	b.UpdateBackoff(u, err, code)
}

func (b contextlessBackoff) CalculateBackoffWithContext(_ context.Context, u *url.URL) time.Duration {
	return b.CalculateBackoff(u)
}

func (b contextlessBackoff) SleepWithContext(_ context.Context, d time.Duration) { b.Sleep(d) }

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
