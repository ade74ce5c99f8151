package apitest

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// conn is a connection, below TLS, that faults can act on.
type conn struct {
	net.Conn
	gate   *gate
	silent atomic.Bool
	closed atomic.Bool // by the server
}

// connKey is the context key of a request's conn.
type connKey struct{}

// withConn is an http.Server.ConnContext.
func withConn(ctx context.Context, c net.Conn) context.Context {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	return context.WithValue(ctx, connKey{}, c)
}

// connOf returns the connection of a request. All requests have one.
func connOf(ctx context.Context) *conn {
	c, _ := ctx.Value(connKey{}).(*conn)
	return c
}

// cut resets the connection, as a crash does: data in transit is lost.
func (c *conn) cut() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset
	}
	_ = c.Conn.Close()
}

// silence makes the connection half-open: server and client both believe that it works.
func (c *conn) silence() { c.silent.Store(true) }

// Read implements net.Conn. Data on a silent connection is discarded, as if it never arrived.
func (c *conn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if !c.silent.Load() {
			return n, err
		}
		if err != nil {
			return 0, err
		}
	}
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (int, error) {
	if c.silent.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// Close implements net.Conn. A silent connection stays open for the client until the gate is closed.
func (c *conn) Close() error {
	if c.closed.Swap(true) {
		return net.ErrClosed
	}
	if c.silent.Load() && c.gate.hold(c) {
		return nil
	}
	c.gate.forget(c)
	return c.Conn.Close()
}

// swallow reads and discards data of a silent connection that the server has closed.
func (c *conn) swallow() {
	_ = c.Conn.SetReadDeadline(time.Time{}) // the server may have set one
	_, _ = io.Copy(io.Discard, c.Conn)
	c.gate.forget(c)
	_ = c.Conn.Close()
}
