package apitest

import (
	"context"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// pipeListener accepts in-memory connections.
type pipeListener struct {
	incoming chan net.Conn
	closed   chan struct{}
	closing  sync.Once
	refusing atomic.Bool
}

func newPipeListener() *pipeListener {
	return &pipeListener{incoming: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial connects to the listener.
func (l *pipeListener) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if l.refusing.Load() {
		return nil, errRefused()
	}
	client, server := net.Pipe()
	select {
	case l.incoming <- server:
		return client, nil
	case <-l.closed:
		return nil, errRefused()
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: pipeAddr{}, Err: ctx.Err()}
	}
}

// errRefused returns the error of a socket without a listener.
func errRefused() error {
	return &net.OpError{Op: "dial", Net: "pipe", Addr: pipeAddr{}, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

// Accept implements net.Listener.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.incoming:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *pipeListener) Close() error {
	l.closing.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "apitest" }
