package relay

import (
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve listens, and calls a function for each connection.
func serve(t *testing.T, handle func(*net.TCPConn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			handle(conn.(*net.TCPConn))
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return listener.Addr().String()
}

func listen(t *testing.T, target string) *Relay {
	t.Helper()
	r, err := Listen("127.0.0.1:0", target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func dial(t *testing.T, r *Relay) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", r.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestBytesGoThrough(t *testing.T) {
	r := listen(t, serve(t, func(c *net.TCPConn) {
		defer c.Close()
		text := make([]byte, 5)
		_, _ = io.ReadFull(c, text)
		_, _ = c.Write(append(text, " to you"...))
	}))
	conn := dial(t, r)
	if _, err := conn.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	// The end comes through, too.
	if answer, err := io.ReadAll(conn); err != nil || string(answer) != "hello to you" {
		t.Errorf("%q, %v", answer, err)
	}
}

func TestAResetGoesThrough(t *testing.T) {
	r := listen(t, serve(t, func(c *net.TCPConn) {
		_, _ = io.ReadFull(c, make([]byte, 1))
		_ = c.SetLinger(0)
		_ = c.Close()
	}))
	conn := dial(t, r)
	if _, err := conn.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("%v", err)
	}
}

func TestAServerThatIsDown(t *testing.T) {
	conn, err := net.Dial("tcp", listen(t, "127.0.0.1:1").Addr().String())
	if err != nil {
		return // the reset was quicker
	}
	defer conn.Close()
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the connection is answered")
	}
}

// Close ends what is under way, on both sides.
func TestClose(t *testing.T) {
	ended := make(chan error, 1)
	r := listen(t, serve(t, func(c *net.TCPConn) {
		defer c.Close()
		_, _ = c.Write([]byte("x"))
		_, err := io.Copy(io.Discard, c)
		ended <- err
	}))
	conn := dial(t, r)
	if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	r.Close()
	r.Close()
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the client is still connected")
	}
	<-ended
	if _, err := net.Dial("tcp", r.Addr().String()); err == nil {
		t.Error("it still listens")
	}
}

func TestAnAddressThatCannotBe(t *testing.T) {
	if _, err := Listen("256.0.0.1:1", "127.0.0.1:1"); err == nil {
		t.Error("it listens")
	}
}
