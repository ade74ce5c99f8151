package apitest

import (
	"fmt"
	"net"
	"sync"
)

// gate is the listener of a server, which can be closed temporarily, and tracks the connections.
type gate struct {
	address net.Addr

	mu      sync.Mutex
	inner   net.Listener  // nil while it is shut
	changed chan struct{} // closed and replaced when inner changes
	closed  bool
	conns   map[*conn]struct{}
	held    sync.WaitGroup // connections that the server has closed, and that stay open for the client
}

func newGate(inner net.Listener) *gate {
	return &gate{address: inner.Addr(), inner: inner, changed: make(chan struct{}), conns: map[*conn]struct{}{}}
}

// RefuseConnections makes the server refuse new connections, as if it were down, until AcceptConnections is called.
// Existing ones are kept: see CutConnections.
func (s *Server) RefuseConnections() { s.gate().shut() }

// AcceptConnections reverts RefuseConnections. The address is the same; it is an error if another process has taken it.
func (s *Server) AcceptConnections() error {
	if err := s.gate().open(); err != nil {
		return fmt.Errorf("apitest: %w", err)
	}
	return nil
}

// CutConnections resets all connections, as a crash of the server does. New ones can be opened at once.
func (s *Server) CutConnections() {
	for _, c := range s.gate().all() {
		c.cut()
	}
}

func (s *Server) gate() *gate {
	if s.listener == nil {
		panic("apitest: a server with Config.InProcess has no connections")
	}
	return s.listener
}

func (g *gate) all() []*conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make([]*conn, 0, len(g.conns))
	for c := range g.conns {
		all = append(all, c)
	}
	return all
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if pipes, ok := g.inner.(*pipeListener); ok {
		pipes.refusing.Store(true)
		return
	}
	if g.inner != nil {
		_ = g.inner.Close()
		g.set(nil)
	}
}

func (g *gate) open() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if pipes, ok := g.inner.(*pipeListener); ok {
		pipes.refusing.Store(false)
		return nil
	}
	if g.inner != nil || g.closed {
		return nil
	}
	inner, err := net.Listen(g.address.Network(), g.address.String())
	if err != nil {
		return err
	}
	g.set(inner)
	return nil
}

// set sets a listener, and wakes Accept. The lock is held.
func (g *gate) set(inner net.Listener) {
	g.inner = inner
	close(g.changed)
	g.changed = make(chan struct{})
}

// Accept implements net.Listener.
func (g *gate) Accept() (net.Conn, error) {
	for {
		g.mu.Lock()
		inner, changed, closed := g.inner, g.changed, g.closed
		g.mu.Unlock()
		if closed {
			return nil, net.ErrClosed
		}
		if inner == nil {
			<-changed
			continue
		}
		raw, err := inner.Accept()
		if err == nil {
			return g.admit(raw), nil
		}
		if g.is(inner) {
			return nil, err
		}
		// It was shut.
	}
}

func (g *gate) is(inner net.Listener) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inner == inner
}

func (g *gate) admit(raw net.Conn) *conn {
	c := &conn{Conn: raw, gate: g}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conns[c] = struct{}{}
	return c
}

// hold keeps a silent connection open, unless the server is closed.
func (g *gate) hold(c *conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.held.Go(c.swallow)
	return true
}

func (g *gate) forget(c *conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.conns, c)
}

// Close implements net.Listener. It closes silent connections; the others belong to the HTTP server.
func (g *gate) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return net.ErrClosed
	}
	g.closed = true
	var err error
	if g.inner != nil {
		err = g.inner.Close()
	}
	for c := range g.conns {
		if c.silent.Load() {
			_ = c.Conn.Close()
		}
	}
	g.set(nil)
	return err
}

// wait waits for what Close has ended.
func (g *gate) wait() { g.held.Wait() }

// Addr implements net.Listener.
func (g *gate) Addr() net.Addr { return g.address }
