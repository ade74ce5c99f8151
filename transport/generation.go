package transport

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// How soon a dead connection is detected. HTTP/2: after 20 s of silence a ping, with a timeout of 10 s. HTTP/1.1, by
// TCP keep-alive: after 20 s of silence four probes, 5 s apart, and 5 s more. Both are less than the 45 seconds that
// the package documentation promises.
const (
	pingAfter     = 20 * time.Second
	pingTimeout   = 10 * time.Second
	probeAfter    = 20 * time.Second
	probeInterval = 5 * time.Second
	probeCount    = 4
)

const (
	dialTimeout         = 30 * time.Second
	tlsHandshakeTimeout = 10 * time.Second
	idleConnTimeout     = 90 * time.Second
	maxIdleConnsPerHost = 25 // the default of 2 makes a busy HTTP/1.1 client open a connection for almost each request
)

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// source is what connections are made from: the parts of a Config that matter below HTTP.
type source struct {
	tls                tlsSource
	dial               *DialHolder
	proxy              func(*http.Request) (*url.URL, error)
	disableCompression bool
}

func newSource(c *Config) source {
	return source{
		tls:                newTLSSource(&c.TLS),
		dial:               c.DialHolder,
		proxy:              c.Proxy,
		disableCompression: c.DisableCompression,
	}
}

// generation is a pair of transports with the same certificates.
type generation struct {
	proof     *proof
	rotations uint64

	short   *http.Transport
	long    *http.Transport
	streams *connections // of long
}

func newGeneration(s *source, p *proof, rotations uint64) *generation {
	g := &generation{proof: p, rotations: rotations, streams: &connections{open: map[net.Conn]struct{}{}}}
	g.short = s.transport(s.tls.config(p), s.dialer())
	g.long = s.transport(s.tls.config(p), g.streams.follow(s.dialer()))
	return g
}

// retire is called when a newer generation is in use. Running short requests may complete, on connections that will not
// be reused. A long-running one could go on for hours with an outdated certificate, so it is closed; its caller can
// start it again.
func (g *generation) retire() {
	g.closeIdle()
	g.streams.closeAll()
}

func (g *generation) closeIdle() {
	g.short.CloseIdleConnections()
	g.long.CloseIdleConnections()
}

func (s *source) dialer() dialFunc {
	if s.dial != nil {
		return s.dial.Dial
	}
	return (&net.Dialer{
		Timeout: dialTimeout,
		KeepAliveConfig: net.KeepAliveConfig{
			Enable: true, Idle: probeAfter, Interval: probeInterval, Count: probeCount,
		},
	}).DialContext
}

func (s *source) transport(config *tls.Config, dial dialFunc) *http.Transport {
	t := &http.Transport{
		Proxy:                 s.proxy,
		DialContext:           dial,
		TLSClientConfig:       config,
		TLSHandshakeTimeout:   tlsHandshakeTimeout,
		DisableCompression:    s.disableCompression,
		MaxIdleConnsPerHost:   maxIdleConnsPerHost,
		IdleConnTimeout:       idleConnTimeout,
		ExpectContinueTimeout: time.Second,
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
		Protocols:             protocols(config.NextProtos),
	}
	if t.Proxy == nil {
		t.Proxy = http.ProxyFromEnvironment
	}
	return t
}

// protocols sets the protocols explicitly, because http.Transport disables HTTP/2 if it has a dialer or a TLS
// configuration, and enables it whatever NextProtos says.
func protocols(nextProtos []string) *http.Protocols {
	any := len(nextProtos) == 0
	p := new(http.Protocols)
	p.SetHTTP2(any || slices.Contains(nextProtos, "h2"))
	p.SetHTTP1(any || slices.Contains(nextProtos, "http/1.1"))
	return p
}

// connections tracks open connections, so that they can be closed while in use.
type connections struct {
	mu   sync.Mutex
	open map[net.Conn]struct{}
}

func (c *connections) follow(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		followed := &followedConn{Conn: conn, owner: c}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open[followed] = struct{}{}
		return followed, nil
	}
}

func (c *connections) closeAll() {
	c.mu.Lock()
	open := c.open
	c.open = map[net.Conn]struct{}{}
	c.mu.Unlock()
	for conn := range open {
		_ = conn.Close()
	}
}

type followedConn struct {
	net.Conn
	owner *connections
}

func (f *followedConn) Close() error {
	f.owner.mu.Lock()
	delete(f.owner.open, f)
	f.owner.mu.Unlock()
	return f.Conn.Close()
}
