package streamconn

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	//lint:ignore SA1019 a test of both packages
	apistream "k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connect connects to a server that hands over the streams that it accepts.
func connect(t *testing.T, period, timeout time.Duration) (*SPDY, httpstream.Connection, <-chan httpstream.Stream) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	streams := make(chan httpstream.Stream, 10)
	server, err := spdy.NewServerConnection(closeTwice{accepted}, func(s httpstream.Stream, replySent <-chan struct{}) error {
		if s.Headers().Get("Kind") == "refused" {
			return errors.New("refused")
		}
		go func() { <-replySent; streams <- s }()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := NewSPDY(client, period, timeout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		_ = server.Close()
		_ = accepted.Close()
		<-server.CloseChan()
	})
	return conn, server, streams
}

// closeTwice is a connection that may be closed twice: spdystream would wait otherwise.
type closeTwice struct{ net.Conn }

func (c closeTwice) Close() error {
	_ = c.Conn.Close()
	return nil
}

func create(t *testing.T, conn httpstream.Connection) httpstream.Stream {
	t.Helper()
	s, err := conn.CreateStream(http.Header{"Kind": {"test"}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A peer that does not take data cannot answer pings, and is not dead.
func TestPeerThatDoesNotRead(t *testing.T) {
	conn, _, streams := connect(t, 5*time.Millisecond, 50*time.Millisecond)
	s := create(t, conn)
	data := bytes.Repeat([]byte("x"), 8<<20)
	wrote := make(chan error)
	go func() {
		_, err := s.Write(data)
		wrote <- errors.Join(err, s.Close())
	}()
	peer := <-streams
	time.Sleep(500 * time.Millisecond)
	n, err := io.Copy(io.Discard, peer)
	if err := errors.Join(err, <-wrote); err != nil || n != int64(len(data)) {
		t.Errorf("%v, %d bytes", err, n)
	}
	if err := conn.Err(); err != nil {
		t.Error(err)
	}
}

// A stream that we do not read keeps us from reading the answers to pings.
func TestUnreadData(t *testing.T) {
	conn, _, streams := connect(t, 5*time.Millisecond, 50*time.Millisecond)
	s := create(t, conn)
	peer := <-streams
	const size = 8 << 20
	wrote := make(chan error)
	go func() {
		part := make([]byte, 32<<10)
		for range size / len(part) {
			if _, err := peer.Write(part); err != nil {
				wrote <- err
				return
			}
		}
		wrote <- peer.Close()
	}()
	time.Sleep(500 * time.Millisecond)
	n, err := io.Copy(io.Discard, s)
	if err := errors.Join(err, <-wrote); err != nil || n != size {
		t.Errorf("%v, %d bytes", err, n)
	}
}

func TestRefusedStream(t *testing.T) {
	conn, _, _ := connect(t, 0, 0)
	if _, err := conn.CreateStream(http.Header{"Kind": {"refused"}}); err == nil || !strings.Contains(err.Error(), "reset") {
		t.Errorf("error %v", err)
	}
	create(t, conn) // others are not affected
}

// A peer that takes leave ends streams with io.EOF, one that does not with an error.
func TestEnd(t *testing.T) {
	t.Run("proper", func(t *testing.T) {
		conn, server, streams := connect(t, 0, 0)
		s := create(t, conn)
		<-streams
		_ = server.Close()
		if _, err := s.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("error %v", err)
		}
		<-conn.CloseChan()
		if err := conn.Err(); err != nil {
			t.Error(err)
		}
	})
	t.Run("lost", func(t *testing.T) {
		ours, theirs := net.Pipe()
		streams := make(chan httpstream.Stream, 1)
		server, err := spdy.NewServerConnection(closeTwice{theirs}, func(s httpstream.Stream, _ <-chan struct{}) error { streams <- s; return nil })
		if err != nil {
			t.Fatal(err)
		}
		conn, err := NewSPDY(ours, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		s := create(t, conn)
		_ = theirs.Close()
		if _, err := s.Read(make([]byte, 1)); err == nil || !strings.Contains(err.Error(), "connection lost") {
			t.Errorf("error %v", err)
		}
		if _, err := conn.CreateStream(nil); err == nil || !strings.Contains(err.Error(), "connection lost") {
			t.Errorf("error %v", err)
		}
		<-server.CloseChan()
		_ = server.Close()
	})
}

// A connection that ends while a stream is being created does not wait for the peer's answer.
func TestCloseDuringCreate(t *testing.T) {
	ours, theirs := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, theirs) }() // never answers
	conn, err := NewSPDY(ours, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = conn.Close() })
	began := time.Now()
	if _, err := conn.CreateStream(nil); !errors.Is(err, net.ErrClosed) {
		t.Errorf("error %v", err)
	}
	if d := time.Since(began); d > 5*time.Second {
		t.Errorf("it took %v", d)
	}
	_ = conn.Close()
	_ = theirs.Close()
}

// Data that is not read does not keep a connection from closing.
func TestCloseWithUnreadData(t *testing.T) {
	conn, _, streams := connect(t, 0, 0)
	create(t, conn)
	peer := <-streams
	go func() { _, _ = peer.Write(make([]byte, 1<<20)); _, _ = peer.Write(make([]byte, 8<<20)) }()
	time.Sleep(50 * time.Millisecond)
	began := time.Now()
	_ = conn.Close()
	if d := time.Since(began); d > 5*time.Second {
		t.Errorf("it took %v", d)
	}
}

// FuzzFrames feeds a connection bytes of a bad server.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{0x80, 3, 0, 2, 0, 0, 0, 6, 0, 0, 0, 1, 0, 0})                                                    // SYN_REPLY
	f.Add([]byte{0, 0, 0, 1, 1, 0, 0, 3, 'a', 'b', 'c'})                                                          // DATA, FIN
	f.Add([]byte{0x80, 3, 0, 3, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 5})                                              // RST_STREAM
	f.Add([]byte{0x80, 3, 0, 7, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0})                                              // GOAWAY
	f.Add([]byte{0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 0, 2})                                                          // PING
	f.Add([]byte{0x80, 3, 0, 1, 0, 0, 0, 10, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 1, 'x', 1, 2, 3}) // SYN_STREAM
	f.Fuzz(func(t *testing.T, wire []byte) {
		ours, theirs := net.Pipe()
		conn, err := NewSPDY(ours, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, theirs) }()
		done := make(chan struct{})
		go func() {
			defer close(done)
			if s, err := conn.CreateStream(http.Header{"Kind": {"x"}}); err == nil {
				_, _ = io.Copy(io.Discard, s)
			}
		}()
		_ = theirs.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = theirs.Write(wire)
		_ = theirs.Close()
		<-done
		_ = conn.Close()
	})
}

// Either package's function recognizes a refused upgrade, and either sees the server's Status.
func TestRefused(t *testing.T) {
	cause := errors.New("no")
	err := RequestError(&http.Request{}, Refused(cause))
	if !httpstream.IsUpgradeFailure(err) || !apistream.IsUpgradeFailure(err) || !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
	if httpstream.IsUpgradeFailure(cause) {
		t.Error("any error is a refused upgrade")
	}
}

func TestResponseError(t *testing.T) {
	for body, want := range map[string]string{
		`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"not allowed","reason":"Forbidden","code":403}`: "not allowed",
		`{"kind":"Status","status":"Failure","message":"cut","reason":"Forbidden","details":{"causes":[{"mess`:           "cut",
		`{"kind":"Status","status":"Succ`: `{"kind":"Status","status":"Succ`,
		" text\n":                         "text",
		"":                                "403 Forbidden",
		"[1]":                             "[1]",
	} {
		resp := &http.Response{Status: "403 Forbidden", StatusCode: 403, Body: io.NopCloser(strings.NewReader(body))}
		if err := ResponseError(resp); err.Error() != want {
			t.Errorf("%q gives %q, want %q", body, err, want)
		}
	}
}
