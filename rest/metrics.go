package rest

import (
	"io"
	"net/http"
	"time"
)

// Metrics receives the requests of the clients of a [Config]. Package metrics implements it for Prometheus. It is called
// concurrently, and blocks requests, so it should be fast. verb is the HTTP method and host the host and port of the
// server: both have low cardinality.
type Metrics interface {
	// Throttled is called when the rate limiter has let a request pass, or its context has ended meanwhile.
	Throttled(verb, host string, waited time.Duration)
	// Attempted is called after each attempt of a request, with or without a response.
	Attempted(a Attempt)
	// Finished is called once per request that was sent, retries included. took is the time from the call to the end of
	// the response or, for a stream or a watch, to its beginning. received is the size of the decompressed body as far
	// as it was read: -1 for a stream, for a watch, or without a response.
	Finished(verb, host string, took time.Duration, received int64)
}

// Attempt is one attempt of a request.
type Attempt struct {
	Verb, Host string
	// Code is the status of the response, 0 if there was none.
	Code int
	// Retry is true if it was not the first attempt.
	Retry bool
	// Sent is the size of the body, -1 if unknown.
	Sent int64
}

// began returns the current time if there are metrics.
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

// finished is for requests whose response is not read to its end, or without a response.
func (r *Request) finished(began time.Time) {
	if m := r.c.metrics; m != nil {
		m.Finished(r.verb, r.c.host(), time.Since(began), -1)
	}
}

// measure reports the request when its response was read.
func (r *Request) measure(resp *http.Response, began time.Time) {
	if r.c.metrics != nil {
		resp.Body = &measuredBody{ReadCloser: resp.Body, r: r, began: began}
	}
}

// measuredBody reports the request once: at the end of the body, or when it is closed before.
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
