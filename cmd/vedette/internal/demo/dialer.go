package demo

import (
	"context"
	"net"
	"sync"
)

// dialer opens connections, and can close them all.
type dialer struct {
	next func(ctx context.Context, network, address string) (net.Conn, error)

	mu    sync.Mutex
	conns map[*cuttable]struct{}
}

func newDialer(next func(ctx context.Context, network, address string) (net.Conn, error)) *dialer {
	if next == nil {
		next = (&net.Dialer{}).DialContext
	}
	return &dialer{next: next, conns: make(map[*cuttable]struct{})}
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.next(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &cuttable{Conn: conn, dialer: d}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conns[c] = struct{}{}
	return c, nil
}

// cut closes all open connections, and returns their number.
func (d *dialer) cut() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	for c := range d.conns {
		_ = c.Conn.Close()
	}
	return len(d.conns)
}

// cuttable is a connection that its dialer tracks until it is closed.
type cuttable struct {
	net.Conn
	dialer *dialer
}

// Close implements net.Conn.
func (c *cuttable) Close() error {
	c.dialer.mu.Lock()
	delete(c.dialer.conns, c)
	c.dialer.mu.Unlock()
	return c.Conn.Close()
}
