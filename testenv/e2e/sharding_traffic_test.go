package e2e

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vedette.dev/rest"
)

// traffic is what went over the wire for one kind: it stands around the transport of a client.
type traffic struct {
	resource string // the last part of the paths that count
	// oblivious says that the server is to know nothing of shards any more.
	oblivious atomic.Bool

	mu    sync.Mutex
	calls []*call
}

// call is one request, and what came back.
type call struct {
	query  url.Values
	status int
	bytes  atomic.Int64
	open   atomic.Bool
}

// newTraffic has the requests of a client counted. Others may share its connections.
func newTraffic(t testing.TB, config *rest.Config, resource string) (*traffic, *rest.Config) {
	t.Helper()
	traffic := &traffic{resource: resource}
	counted := rest.CopyConfig(closing(t, config))
	counted.Wrap(func(next http.RoundTripper) http.RoundTripper { return &counting{traffic, next} })
	return traffic, counted
}

type counting struct {
	traffic *traffic
	next    http.RoundTripper
}

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "/"+c.traffic.resource) || r.Method != http.MethodGet {
		return c.next.RoundTrip(r)
	}
	made := &call{query: r.URL.Query()}
	made.open.Store(true)
	c.traffic.mu.Lock()
	c.traffic.calls = append(c.traffic.calls, made)
	c.traffic.mu.Unlock()
	if c.traffic.oblivious.Load() {
		r = withoutSelector(r)
	}
	response, err := c.next.RoundTrip(r)
	if err != nil {
		made.open.Store(false)
		return nil, err
	}
	c.traffic.mu.Lock()
	made.status = response.StatusCode
	c.traffic.mu.Unlock()
	response.Body = &countedBody{response.Body, made}
	return response, nil
}

func withoutSelector(r *http.Request) *http.Request {
	r = r.Clone(r.Context())
	query := r.URL.Query()
	query.Del("shardSelector")
	r.URL.RawQuery = query.Encode()
	return r
}

func (c *counting) WrappedRoundTripper() http.RoundTripper { return c.next }

type countedBody struct {
	io.ReadCloser
	call *call
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.call.bytes.Add(int64(n))
	if err != nil {
		b.call.open.Store(false)
	}
	return n, err
}

func (b *countedBody) Close() error {
	b.call.open.Store(false)
	return b.ReadCloser.Close()
}

// made is how many requests there were.
func (tr *traffic) made() int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return len(tr.calls)
}

// since divides the requests after the first n: questions are lists of one object, by which a client finds out what the
// server does.
func (tr *traffic) since(n int) (lists, questions, watches []*call) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for _, c := range tr.calls[n:] {
		switch {
		case c.query.Get("watch") == "true" || c.query.Get("watch") == "1":
			watches = append(watches, c)
		case c.query.Get("limit") == "1":
			questions = append(questions, c)
		default:
			lists = append(lists, c)
		}
	}
	return lists, questions, watches
}

// watching is the watches that are open.
func (tr *traffic) watching() (out []*call) {
	_, _, watches := tr.since(0)
	for _, c := range watches {
		if c.open.Load() {
			out = append(out, c)
		}
	}
	return out
}

func (c *call) selector() string { return c.query.Get("shardSelector") }

// resumes reports whether a watch goes on from a version, and does not bring what is there.
func (c *call) resumes() bool {
	version := c.query.Get("resourceVersion")
	return version != "" && version != "0" && c.query.Get("sendInitialEvents") != "true"
}
