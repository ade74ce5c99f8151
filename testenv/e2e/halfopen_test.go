package e2e

import (
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/kubernetes"
)

// tunnel passes bytes on to the server until it is told to swallow them, with the connections left open.
type tunnel struct {
	net.Listener
	to string

	mu    sync.Mutex
	deaf  bool
	conns []net.Conn
}

func newTunnel(t *testing.T, to string) *tunnel {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	tun := &tunnel{Listener: listener, to: to}
	var running sync.WaitGroup
	running.Go(func() { tun.serve(&running) })
	t.Cleanup(func() {
		tun.Close()
		tun.cut()
		running.Wait()
	})
	return tun
}

func (tun *tunnel) serve(running *sync.WaitGroup) {
	for {
		client, err := tun.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", tun.to)
		if err != nil { // it may be back for the next one
			client.Close()
			continue
		}
		tun.mu.Lock()
		tun.conns = append(tun.conns, client, server)
		tun.mu.Unlock()
		running.Go(func() { tun.pass(server, client) })
		running.Go(func() { tun.pass(client, server) })
	}
}

// cut closes all connections.
func (tun *tunnel) cut() {
	tun.mu.Lock()
	defer tun.mu.Unlock()
	for _, c := range tun.conns {
		c.Close()
	}
	tun.conns = nil
}

func (tun *tunnel) pass(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		tun.mu.Lock()
		deaf := tun.deaf
		tun.mu.Unlock()
		if !deaf {
			_, _ = to.Write(buffer[:n])
		}
	}
}

// A connection over which nothing comes any more, and that nobody closed, is given up within 45 seconds.
func TestHalfOpenConnection(t *testing.T) {
	t.Parallel()
	config := adminConfig(t)
	tun := newTunnel(t, strings.TrimPrefix(shared.Env(t).Host(), "https://"))
	config.Host = "https://" + tun.Addr().String()
	config.ServerName = "127.0.0.1"
	client, err := kubernetes.NewForConfig(closing(t, config))
	if err != nil {
		t.Fatal(err)
	}
	w, err := client.CoreV1().Namespaces().Watch(within(t, 2*time.Minute), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	<-w.ResultChan() // the watch is on
	tun.mu.Lock()
	tun.deaf = true
	tun.mu.Unlock()
	begin := time.Now()
	for range w.ResultChan() {
	}
	took := time.Since(begin)
	t.Logf("noticed after %v", took.Round(time.Second))
	if took > 45*time.Second {
		t.Errorf("noticed after %v only", took)
	}
}
