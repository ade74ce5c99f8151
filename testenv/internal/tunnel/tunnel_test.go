package tunnel

import (
	"io"
	"net"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is a server that sends back what it gets.
func echo(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	return listener.Addr().String()
}

// says sends a byte, and reports whether it came back, and whether the connection is still open.
func says(t *testing.T, c net.Conn) (back, open bool) {
	t.Helper()
	if _, err := c.Write([]byte{1}); err != nil {
		return false, false
	}
	_ = c.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	var timeout net.Error
	if timeout, _ = err.(net.Error); timeout != nil && timeout.Timeout() {
		return false, true
	}
	return err == nil, err == nil
}

func TestTunnel(t *testing.T) {
	tun, err := New(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	defer tun.Close()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", tun.Address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	first := dial()
	if back, _ := says(t, first); !back || tun.Received() != 1 {
		t.Error("it does not pass bytes on")
	}
	tun.Swallow(true)
	if back, open := says(t, first); back || !open {
		t.Errorf("bytes that should be swallowed come back: %t, the connection is open: %t", back, open)
	}
	tun.Swallow(false)
	if back, _ := says(t, first); !back {
		t.Error("it is still deaf")
	}
	tun.Cut()
	if _, open := says(t, first); open {
		t.Error("a connection that was cut is open")
	}
	if back, _ := says(t, dial()); !back {
		t.Error("there is no new connection")
	}
	tun.Refuse(true)
	if back, open := says(t, dial()); back || open {
		t.Error("a connection was not refused")
	}
	tun.Refuse(false)
	if back, _ := says(t, dial()); !back {
		t.Error("connections are refused for ever")
	}
}
