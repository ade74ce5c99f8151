// Package tunnel has a way to a server that can be cut, made to swallow everything, or made to refuse connections.
package tunnel

import (
	"net"
	"sync"
	"sync/atomic"
)

// Tunnel passes bytes on to a server. It is safe for concurrent use.
type Tunnel struct {
	listener net.Listener
	to       string
	received atomic.Int64
	running  sync.WaitGroup

	mu          sync.Mutex
	conns       map[net.Conn]bool
	deaf, alone bool
	closed      bool
}

// New returns a tunnel to an address.
func New(to string) (*Tunnel, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &Tunnel{listener: listener, to: to, conns: map[net.Conn]bool{}}
	t.running.Go(t.serve)
	return t, nil
}

// Address returns the address of the end that clients use.
func (t *Tunnel) Address() string { return t.listener.Addr().String() }

// Received returns how many bytes clients have got from the server.
func (t *Tunnel) Received() int64 { return t.received.Load() }

// Close closes the tunnel and its connections.
func (t *Tunnel) Close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	_ = t.listener.Close()
	t.Cut()
	t.running.Wait()
}

// Cut closes all connections. New ones can be made.
func (t *Tunnel) Cut() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.conns {
		_ = c.Close()
	}
	clear(t.conns)
}

// Refuse closes all connections, and refuses new ones until it is called with false.
func (t *Tunnel) Refuse(refuse bool) {
	t.mu.Lock()
	t.alone = refuse
	t.mu.Unlock()
	if refuse {
		t.Cut()
	}
}

// Swallow has the tunnel take bytes and pass none on, with the connections left open, until it is called with false.
func (t *Tunnel) Swallow(swallow bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.deaf = swallow
}

func (t *Tunnel) serve() {
	for {
		client, err := t.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", t.to)
		if err != nil { // it may be back for the next one
			_ = client.Close()
			continue
		}
		t.mu.Lock()
		refused := t.alone || t.closed
		if !refused {
			t.conns[client], t.conns[server] = true, true
		}
		t.mu.Unlock()
		if refused {
			_ = client.Close()
			_ = server.Close()
			continue
		}
		t.running.Go(func() { t.pass(server, client, nil) })
		t.running.Go(func() { t.pass(client, server, &t.received) })
	}
}

// pass ends both connections when one has ended.
func (t *Tunnel) pass(to, from net.Conn, count *atomic.Int64) {
	defer func() {
		_, _ = to.Close(), from.Close()
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.conns, to)
		delete(t.conns, from)
	}()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		t.mu.Lock()
		deaf := t.deaf
		t.mu.Unlock()
		if deaf {
			continue
		}
		if count != nil {
			count.Add(int64(n))
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}
