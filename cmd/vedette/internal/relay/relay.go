// Package relay forwards connections from one address to another, byte for byte.
//
// A [Relay] listens at a given address on behalf of a server that chooses its own. A connection that ends on one side ends on the
// other, and one that was reset is reset, so that a client cannot distinguish the relay from the server.
package relay

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
)

// Relay is a listening relay. When Close returns, no goroutine of it is left.
type Relay struct {
	listener net.Listener
	target   string
	ctx      context.Context
	stop     context.CancelFunc
	running  sync.WaitGroup
}

// Listen forwards connections from address to target until Close.
func Listen(address, target string) (*Relay, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	r := &Relay{listener: listener, target: target}
	r.ctx, r.stop = context.WithCancel(context.Background())
	r.running.Go(r.accept)
	return r, nil
}

// Addr returns the address at which it listens.
func (r *Relay) Addr() net.Addr { return r.listener.Addr() }

// Close ends it and all its connections. It may be called twice.
func (r *Relay) Close() {
	r.stop()
	_ = r.listener.Close()
	r.running.Wait()
}

func (r *Relay) accept() {
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.running.Go(func() { r.serve(conn.(*net.TCPConn)) })
	}
}

// serve forwards one connection until either side ends it, or the relay is closed.
func (r *Relay) serve(client *net.TCPConn) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", r.target)
	if err != nil {
		end(client, syscall.ECONNRESET)
		return
	}
	server := conn.(*net.TCPConn)
	var copying sync.WaitGroup
	for _, way := range []struct{ to, from *net.TCPConn }{{server, client}, {client, server}} {
		copying.Go(func() {
			_, err := io.Copy(way.to, way.from)
			if err == nil {
				err = io.EOF
			}
			cancel(err)
		})
	}
	<-ctx.Done()
	end(client, context.Cause(ctx))
	end(server, context.Cause(ctx))
	copying.Wait()
}

// end closes a connection in the way in which the other side was closed.
func end(conn *net.TCPConn, cause error) {
	if errors.Is(cause, syscall.ECONNRESET) {
		_ = conn.SetLinger(0)
	}
	_ = conn.Close()
}
