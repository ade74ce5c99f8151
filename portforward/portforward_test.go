package portforward

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	//lint:ignore SA1019 a test of both packages
	apistream "k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/streaming/pkg/httpstream"

	"vedette.dev/internal/streamtest"
	"vedette.dev/rest"
	"vedette.dev/transport/spdy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func spdyDialer(t testing.TB, config *rest.Config, target string) apistream.Dialer {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	rt, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return spdy.NewDialer(upgrader, &http.Client{Transport: rt}, http.MethodPost, u)
}

func tunnel(t testing.TB, config *rest.Config, target string) apistream.Dialer {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewSPDYOverWebsocketDialer(u, config)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// each runs a test on each transport.
func each(t *testing.T, test func(t *testing.T, dialer func(testing.TB, *rest.Config, string) apistream.Dialer)) {
	t.Run("websocket", func(t *testing.T) { test(t, tunnel) })
	t.Run("spdy", func(t *testing.T) { test(t, spdyDialer) })
}

// serve starts a server that forwards ports.
func serve(t testing.TB, forward func(port int, data io.ReadWriteCloser) error) *streamtest.Server {
	t.Helper()
	s := streamtest.New(t)
	s.Forward = forward
	s.Start()
	return s
}

func target(s *streamtest.Server) string {
	return s.URL + "/api/v1/namespaces/default/pods/pod/portforward"
}

// running is a PortForwarder that forwards.
type running struct {
	*PortForwarder
	port  uint16
	stop  func()
	ended chan error // what ForwardPorts returned
	out   *lines
}

// lines is what a PortForwarder has written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func start(t testing.TB, dialer apistream.Dialer) *running {
	t.Helper()
	stop, ready, out := make(chan struct{}), make(chan struct{}), &lines{}
	pf, err := New(dialer, []string{":80"}, stop, ready, out, out)
	if err != nil {
		t.Fatal(err)
	}
	r := &running{PortForwarder: pf, stop: sync.OnceFunc(func() { close(stop) }), ended: make(chan error, 1), out: out}
	done := make(chan struct{})
	go func() { defer close(done); r.ended <- pf.ForwardPorts() }()
	t.Cleanup(func() { r.stop(); <-done })
	select {
	case <-ready:
	case err := <-r.ended:
		t.Fatal(err)
	case <-time.After(20 * time.Second):
		t.Fatal("not ready")
	}
	ports, err := pf.GetPorts()
	if err != nil {
		t.Fatal(err)
	}
	if len(ports) != 1 || ports[0].Remote != 80 || ports[0].Local == 0 {
		t.Fatalf("ports %v", ports)
	}
	r.port = ports[0].Local
	return r
}

func (r *running) dial(t testing.TB) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(r.port))))
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	t.Cleanup(func() { _ = conn.Close() })
	return conn.(*net.TCPConn)
}

func echo(_ int, data io.ReadWriteCloser) error {
	_, err := io.Copy(data, plainReader{data})
	return err
}

// Megabytes go both ways, on several connections; the end of what a client sends reaches the pod, whose answer still comes.
func TestForward(t *testing.T) {
	each(t, func(t *testing.T, dialer func(testing.TB, *rest.Config, string) apistream.Dialer) {
		s := serve(t, func(port int, data io.ReadWriteCloser) error {
			if port != 80 {
				return errors.New("wrong port")
			}
			return echo(port, data)
		})
		r := start(t, dialer(t, &rest.Config{}, target(s)))
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() {
				conn := r.dial(t)
				in := bytes.Repeat([]byte{byte('a' + i)}, 2<<20)
				go func() { _, _ = conn.Write(in); _ = conn.CloseWrite() }()
				out, err := io.ReadAll(conn)
				if err != nil || !bytes.Equal(in, out) {
					t.Errorf("%v, %d bytes of %d", err, len(out), len(in))
				}
			})
		}
		all.Wait()
		r.stop()
		if err := <-r.ended; err != nil {
			t.Error(err)
		}
		if out := r.out.String(); !strings.Contains(out, "Forwarding from 127.0.0.1:") || !strings.Contains(out, "Handling connection for ") {
			t.Errorf("output %q", out)
		}
	})
}

// A pod that has sent all can still receive.
func TestPodHalfCloses(t *testing.T) {
	each(t, func(t *testing.T, dialer func(testing.TB, *rest.Config, string) apistream.Dialer) {
		got := make(chan string, 1)
		s := serve(t, func(_ int, data io.ReadWriteCloser) error {
			_, _ = io.WriteString(data, "greeting")
			_ = data.Close()
			b, _ := io.ReadAll(data)
			got <- string(b)
			return nil
		})
		conn := start(t, dialer(t, &rest.Config{}, target(s))).dial(t)
		if b, err := io.ReadAll(conn); err != nil || string(b) != "greeting" {
			t.Errorf("%q, %v", b, err)
		}
		_, _ = io.WriteString(conn, "answer")
		_ = conn.CloseWrite()
		if b := <-got; b != "answer" {
			t.Errorf("the pod got %q", b)
		}
	})
}

// A message of the server is shown, and ends everything.
func TestServerSaysNo(t *testing.T) {
	each(t, func(t *testing.T, dialer func(testing.TB, *rest.Config, string) apistream.Dialer) {
		s := serve(t, func(int, io.ReadWriteCloser) error { return errors.New("connection refused in the pod") })
		r := start(t, dialer(t, &rest.Config{}, target(s)))
		if b, _ := io.ReadAll(r.dial(t)); len(b) > 0 {
			t.Errorf("%q came", b)
		}
		err := <-r.ended
		if !errors.Is(err, ErrLostConnectionToPod) || !strings.Contains(err.Error(), "connection refused in the pod") {
			t.Errorf("error %v", err)
		}
		if !strings.Contains(r.out.String(), "connection refused in the pod") {
			t.Errorf("output %q", r.out)
		}
	})
}

// A connection that breaks is an error, and ends the clients' connections.
func TestKilled(t *testing.T) {
	each(t, func(t *testing.T, dialer func(testing.TB, *rest.Config, string) apistream.Dialer) {
		s := serve(t, echo)
		r := start(t, dialer(t, &rest.Config{}, target(s)))
		conn := r.dial(t)
		_, _ = io.WriteString(conn, "x")
		if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		s.Kill()
		err := <-r.ended
		if !errors.Is(err, ErrLostConnectionToPod) || !strings.Contains(err.Error(), "connection lost") {
			t.Errorf("error %v", err)
		}
		_, _ = io.Copy(io.Discard, conn) // ends
	})
}

// Stopping ends connections that are open, whatever they do.
func TestStop(t *testing.T) {
	each(t, func(t *testing.T, dialer func(testing.TB, *rest.Config, string) apistream.Dialer) {
		s := serve(t, func(_ int, data io.ReadWriteCloser) error {
			_, err := io.Copy(data, zeros{}) // more than the client reads
			return err
		})
		r := start(t, dialer(t, &rest.Config{}, target(s)))
		conn := r.dial(t)
		if _, err := io.ReadFull(conn, make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
		r.stop()
		select {
		case err := <-r.ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("it goes on")
		}
		if _, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(r.port)))); err == nil {
			t.Error("it still listens")
		}
	})
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// Stopping ends a request that is not answered.
func TestStopDuringDial(t *testing.T) {
	each(t, func(t *testing.T, dialer func(testing.TB, *rest.Config, string) apistream.Dialer) {
		s := streamtest.New(t)
		stop, over := make(chan struct{}), make(chan struct{})
		s.Refuse = func(http.ResponseWriter, *http.Request) bool { close(stop); <-over; return true }
		s.Start()
		defer close(over)
		d := dialer(t, &rest.Config{}, target(s))
		fallback := NewFallbackDialer(d, d, func(error) bool { return true })
		pf, err := New(fallback, []string{":80"}, stop, make(chan struct{}), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := pf.ForwardPorts(); err != nil {
			t.Error(err)
		}
	})
}

// A server without WebSockets gets SPDY.
func TestFallback(t *testing.T) {
	s := serve(t, echo)
	s.Refuse = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Upgrade") == "websocket" {
			http.Error(w, "no WebSockets here", http.StatusBadRequest)
			return true
		}
		return false
	}
	websocket, spdy := tunnel(t, &rest.Config{}, target(s)), spdyDialer(t, &rest.Config{}, target(s))
	_, _, err := websocket.Dial(PortForwardProtocolV1Name)
	if err == nil || !strings.Contains(err.Error(), "no WebSockets here") {
		t.Errorf("error %v", err)
	}
	for name, is := range map[string]func(error) bool{"apimachinery": apistream.IsUpgradeFailure, "streaming": httpstream.IsUpgradeFailure} {
		conn, protocol, err := NewFallbackDialer(websocket, spdy, is).Dial(PortForwardProtocolV1Name)
		if err != nil || protocol != PortForwardProtocolV1Name {
			t.Errorf("%s: %v, protocol %q", name, err, protocol)
			continue
		}
		_ = conn.Close()
	}
}

func TestRefused(t *testing.T) {
	s := streamtest.New(t)
	s.Refuse = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"kind":"Status","status":"Failure","message":"you may not","reason":"Forbidden","code":403}`)
		return true
	}
	s.Start()
	each(t, func(t *testing.T, dialer func(testing.TB, *rest.Config, string) apistream.Dialer) {
		pf, err := New(dialer(t, &rest.Config{}, target(s)), []string{":80"}, make(chan struct{}), nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := pf.ForwardPorts(); err == nil || !strings.Contains(err.Error(), "you may not") {
			t.Errorf("error %v", err)
		}
	})
}

func TestStreamingTypes(t *testing.T) {
	s := serve(t, echo)
	u, _ := url.Parse(target(s))
	websocket, err := NewSPDYOverWebsocketDialerForStreaming(u, &rest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	rt, upgrader, err := spdy.RoundTripperFor(&rest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	second := spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: rt}, http.MethodPost, u)
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan struct{}), make(chan error, 1)
	pf, err := NewOnAddressesForStreamingWithContext(ctx, NewFallbackDialerForStreaming(websocket, second, httpstream.IsUpgradeFailure),
		[]string{"127.0.0.1"}, []string{"0:80", ":81"}, ready, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pf.GetPorts(); err == nil {
		t.Error("ports before Ready")
	}
	go func() { ended <- pf.ForwardPorts() }()
	<-ready
	if ports, err := pf.GetPorts(); err != nil || len(ports) != 2 || ports[1].Local == ports[0].Local {
		t.Errorf("%v, %v", ports, err)
	}
	if err := pf.ForwardPorts(); err == nil {
		t.Error("a second call")
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// An address that is taken is an error.
func TestPortTaken(t *testing.T) {
	s := serve(t, echo)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	var out lines
	pf, err := NewOnAddresses(tunnel(t, &rest.Config{}, target(s)), []string{"127.0.0.1"}, []string{port + ":80"}, make(chan struct{}), nil, &out, &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := pf.ForwardPorts(); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(out.String(), "Unable to listen on port "+port) {
		t.Errorf("output %q", &out)
	}
}

func TestBadInput(t *testing.T) {
	d := tunnel(t, &rest.Config{}, "http://host")
	for _, test := range []struct {
		addresses, ports []string
		want             string
	}{
		{nil, []string{"80"}, "at least 1 address"},
		{[]string{"example.com"}, []string{"80"}, "is not a valid IP"},
		{[]string{"localhost"}, nil, "at least 1 port"},
		{[]string{"localhost"}, []string{"1:2:3"}, "invalid port format"},
		{[]string{"localhost"}, []string{"x"}, "error parsing local port"},
		{[]string{"localhost"}, []string{"1:x"}, "error parsing remote port"},
		{[]string{"localhost"}, []string{"1:70000"}, "error parsing remote port"},
		{[]string{"localhost"}, []string{"80:0"}, "remote port must be > 0"},
	} {
		_, err := NewOnAddresses(d, test.addresses, test.ports, nil, nil, nil, nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v %v: error %v", test.addresses, test.ports, err)
		}
	}
	if _, err := New(nil, []string{"80"}, nil, nil, nil, nil); err == nil {
		t.Error("no dialer")
	}
	if _, err := NewForStreaming(nil, []string{"80"}, nil, nil, nil, nil); err == nil {
		t.Error("no dialer")
	}
	if _, err := NewSPDYOverWebsocketDialer(nil, &rest.Config{}); err == nil {
		t.Error("no URL")
	}
	if _, err := NewSPDYOverWebsocketDialer(&url.URL{}, nil); err == nil {
		t.Error("no configuration")
	}
}

func FuzzPorts(f *testing.F) {
	for _, s := range []string{"5000", "8888:5000", "0:5000", ":5000", "", ":", "1:2:3", "-1", "99999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		ports, err := parsePorts([]string{spec})
		if err == nil && (len(ports) != 1 || ports[0].Remote == 0) {
			t.Errorf("%q is %v", spec, ports)
		}
	})
}
