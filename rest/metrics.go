package rest

import (
	"io"
	"net/http"
	"time"
)

// Metrics hears of the requests of the clients of a Config. Package metrics has one for Prometheus. It is called by many
// goroutines at once, while requests wait for it, so it should be quick. Verb is the HTTP method and host that of the
// server, with its port: there are few of each.
type Metrics interface {
	// Throttled is called when the rate limiter has let a request go on, or its context has ended meanwhile.
	Throttled(verb, host string, waited time.Duration)
	// Attempted is called each time that a request has been sent and was answered, or not.
	Attempted(a Attempt)
	// Finished is called once a request that was sent, retries included. It took from when it was asked for to the end of
	// the answer or, where that is a stream or a watch, to its beginning. received is the size of the body, decompressed,
	// as far as it was read: -1 of a stream, of a watch, or without an answer.
	Finished(verb, host string, took time.Duration, received int64)
}

// Attempt is how a request was sent once.
type Attempt struct {
	Verb, Host string
	// Code is the status of the answer, 0 if there was none.
	Code int
	// Retry says that it was not the first time.
	Retry bool
	// Sent is the size of the body, -1 if that is not known.
	Sent int64
}

// began is the time, for those who are told how long something took.
func (c *RESTClient) began() time.Time {
	if c.metrics == nil {
		return time.Time{}
	}
	return time.Now()
}

func (c *RESTClient) host() string {
	if c.base == nil {
		return "none"
	}
	return c.base.Host
}

func (r *Request) throttled(began time.Time) {
	if m := r.c.metrics; m != nil {
		m.Throttled(r.verb, r.c.host(), time.Since(began))
	}
}

func (r *Request) attempted(resp *http.Response, retry bool) {
	m := r.c.metrics
	if m == nil {
		return
	}
	a := Attempt{Verb: r.verb, Host: r.c.host(), Retry: retry, Sent: int64(len(r.bodyBytes))}
	if resp != nil {
		a.Code = resp.StatusCode
	}
	if r.bodyReader != nil {
		a.Sent = -1
	}
	m.Attempted(a)
}

// finished is for requests whose answer is not read to its end, or that have none.
func (r *Request) finished(began time.Time) {
	if m := r.c.metrics; m != nil {
		m.Finished(r.verb, r.c.host(), time.Since(began), -1)
	}
}

// measure has the answer tell when it was read.
func (r *Request) measure(resp *http.Response, began time.Time) {
	if r.c.metrics != nil {
		resp.Body = &measuredBody{ReadCloser: resp.Body, r: r, began: began}
	}
}

// measuredBody tells the metrics once: at its end, or when it is closed before.
type measuredBody struct {
	io.ReadCloser
	r     *Request
	began time.Time
	n     int64
	told  bool
}

func (b *measuredBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.n += int64(n)
	if err != nil {
		b.tell()
	}
	return n, err
}

func (b *measuredBody) Close() error {
	b.tell()
	return b.ReadCloser.Close()
}

func (b *measuredBody) tell() {
	if !b.told {
		b.told = true
		b.r.c.metrics.Finished(b.r.verb, b.r.c.host(), time.Since(b.began), b.n)
	}
}
