package streamtest

import (
	"context"
	"net"
	"sync"
)

// Pipe makes the server listen in memory, for tests in a testing/synctest bubble, and returns the dial function for it. It is called
// before Start.
func (s *Server) Pipe() func(ctx context.Context, network, address string) (net.Conn, error) {
	_ = s.Listener.Close()
	l := &pipeListener{addr: s.Listener.Addr(), conns: make(chan net.Conn), closed: make(chan struct{}), frozen: make(chan struct{})}
	s.Listener = l
	s.freeze = sync.OnceFunc(func() { close(l.frozen) })
	return l.dial
}

// Freeze makes the other end silent, as if a cable was pulled: what clients send gets lost.
func (s *Server) Freeze() { s.freeze() }

type pipeListener struct {
	addr   net.Addr
	conns  chan net.Conn
	frozen chan struct{}

	closing sync.Once
	closed  chan struct{}
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- &freezable{Conn: server, frozen: l.frozen, closed: make(chan struct{})}:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Addr() net.Addr { return l.addr }

func (l *pipeListener) Close() error {
	l.closing.Do(func() { close(l.closed) })
	return nil
}

// freezable is a connection that can become silent.
type freezable struct {
	net.Conn
	frozen <-chan struct{}

	closing sync.Once
	closed  chan struct{}
}

func (f *freezable) Read(p []byte) (int, error) {
	n, err := f.Conn.Read(p)
	select {
	case <-f.frozen:
		<-f.closed
		return 0, net.ErrClosed
	default:
		return n, err
	}
}

func (f *freezable) Write(p []byte) (int, error) {
	select {
	case <-f.frozen:
		return len(p), nil
	default:
		return f.Conn.Write(p)
	}
}

func (f *freezable) Close() error {
	f.closing.Do(func() { close(f.closed) })
	return f.Conn.Close()
}
