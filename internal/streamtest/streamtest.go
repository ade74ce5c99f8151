// Package streamtest is a server for tests of exec and port-forward. It speaks SPDY and WebSocket with the libraries that the API server
// and the kubelet use.
package streamtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/portforward"
	"k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
	"k8s.io/streaming/pkg/httpstream/wsstream"

	"vedette.dev/exec"
)

// Command is a command that a client runs. Streams that the client did not ask for are nil.
type Command struct {
	Request        *http.Request
	Protocol       string
	Stdin          io.Reader
	Stdout, Stderr io.WriteCloser
	Resize         io.Reader
}

// Server runs commands and forwards ports.
type Server struct {
	*httptest.Server

	// Exec runs a command. Its error becomes the result: nil means success, and exec.CodeExitError an exit code.
	Exec func(c *Command) error
	// Forward serves a connection to a port of the pod.
	Forward func(port int, data io.ReadWriteCloser) error
	// Refuse, if not nil, answers requests that are to be refused, and returns true.
	Refuse func(w http.ResponseWriter, r *http.Request) bool
	// NoStatus leaves out the result of a command.
	NoStatus bool

	mu       sync.Mutex
	requests []*http.Request
	conns    map[net.Conn]bool
	running  sync.WaitGroup
	freeze   func()
}

// New returns a server that is not started yet. It is closed at the end of the test.
func New(t testing.TB) *Server {
	s := &Server{conns: map[net.Conn]bool{}}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.Config.ConnState = func(conn net.Conn, state http.ConnState) {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch state {
		case http.StateNew, http.StateHijacked:
			s.conns[conn] = true
		case http.StateClosed:
			delete(s.conns, conn)
		}
	}
	t.Cleanup(func() {
		s.Kill()
		s.Close()
		s.running.Wait()
	})
	return s
}

// Kill resets all connections, as if the machine was gone.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.conns {
		below := conn
		if b, ok := conn.(interface{ NetConn() net.Conn }); ok {
			below = b.NetConn()
		}
		if tcp, ok := below.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = below.Close()
	}
}

// Requests returns the requests so far.
func (s *Server) Requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.requests...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	s.running.Add(1)
	defer s.running.Done()
	switch {
	case s.Refuse != nil && s.Refuse(w, r):
	case wsstream.IsWebSocketRequestWithTunnelingProtocol(r):
		s.tunnel(w, r)
	case wsstream.IsWebSocketRequest(r):
		s.webSocket(w, r)
	case r.Header.Get(httpstream.HeaderProtocolVersion) == portforward.PortForwardV1Name:
		w.Header().Set(httpstream.HeaderProtocolVersion, portforward.PortForwardV1Name)
		streams := make(chan httpstream.Stream, 100)
		if conn := upgrade(w, accept(streams)); conn != nil {
			s.forwardAll(conn, streams)
		}
	default:
		s.spdy(w, r)
	}
}

// upgrade is what spdy.NewResponseUpgrader does, with a connection that may be closed twice: spdystream would wait otherwise.
func upgrade(w http.ResponseWriter, handler httpstream.NewStreamHandler) httpstream.Connection {
	w.Header().Set(httpstream.HeaderConnection, httpstream.HeaderUpgrade)
	w.Header().Set(httpstream.HeaderUpgrade, spdy.HeaderSpdy31)
	w.WriteHeader(http.StatusSwitchingProtocols)
	raw, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil
	}
	conn, err := spdy.NewServerConnection(&hijacked{Conn: raw, r: buffered}, handler)
	if err != nil {
		return nil
	}
	return conn
}

type hijacked struct {
	net.Conn
	r io.Reader
}

func (h *hijacked) Read(p []byte) (int, error) { return h.r.Read(p) }

func (h *hijacked) Close() error {
	_ = h.Conn.Close()
	return nil
}

func accept(streams chan<- httpstream.Stream) httpstream.NewStreamHandler {
	return func(stream httpstream.Stream, replySent <-chan struct{}) error {
		go func() { <-replySent; streams <- stream }()
		return nil
	}
}

// Status returns the result of a command as the kubelet sends it.
func Status(err error) []byte {
	status := metav1.Status{Status: metav1.StatusSuccess}
	var exit exec.CodeExitError
	switch {
	case errors.As(err, &exit):
		status.Status = metav1.StatusFailure
		status.Reason = remotecommand.NonZeroExitCodeReason
		status.Details = &metav1.StatusDetails{Causes: []metav1.StatusCause{{
			Type: remotecommand.ExitCodeCauseType, Message: strconv.Itoa(exit.Code),
		}}}
	case err != nil:
		status = metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonInternalError, Message: err.Error(), Code: 500}
	}
	b, _ := json.Marshal(status)
	return b
}

// result writes the result of a command.
func (s *Server) result(to io.Writer, protocol string, err error) {
	switch {
	case s.NoStatus:
	case protocol == remotecommand.StreamProtocolV4Name, protocol == remotecommand.StreamProtocolV5Name:
		_, _ = to.Write(Status(err))
	case err != nil:
		_, _ = io.WriteString(to, err.Error())
	}
}

// asks reports whether the request asks for a stream. The kubelet has other names for them than the API server.
func asks(r *http.Request, name string) bool {
	query := r.URL.Query()
	value := query.Get(name)
	if other := map[string]string{"stdin": "input", "stdout": "output", "stderr": "error"}[name]; value == "" && other != "" {
		value = query.Get(other)
	}
	on, _ := strconv.ParseBool(value)
	return on
}

func (s *Server) webSocket(w http.ResponseWriter, r *http.Request) {
	tty := asks(r, "tty")
	channel := func(name string, kind wsstream.ChannelType) wsstream.ChannelType {
		if !asks(r, name) || name == "stderr" && tty {
			return wsstream.IgnoreChannel
		}
		return kind
	}
	config := wsstream.ChannelProtocolConfig{Binary: true, Channels: []wsstream.ChannelType{
		channel("stdin", wsstream.ReadChannel), channel("stdout", wsstream.WriteChannel), channel("stderr", wsstream.WriteChannel),
		wsstream.WriteChannel, channel("tty", wsstream.ReadChannel),
	}}
	conn := wsstream.NewConn(map[string]wsstream.ChannelProtocolConfig{
		remotecommand.StreamProtocolV5Name: config, remotecommand.StreamProtocolV4Name: config,
	})
	protocol, streams, err := conn.Open(w, r)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	c := &Command{Request: r, Protocol: protocol}
	if asks(r, "stdin") {
		c.Stdin = streams[0]
	}
	if asks(r, "stdout") {
		c.Stdout = streams[1]
	}
	if asks(r, "stderr") && !tty {
		c.Stderr = streams[2]
	}
	if tty {
		c.Resize = streams[4]
	}
	s.result(streams[3], protocol, s.Exec(c))
}

func (s *Server) spdy(w http.ResponseWriter, r *http.Request) {
	protocol, err := httpstream.Handshake(r, w, []string{
		remotecommand.StreamProtocolV5Name, remotecommand.StreamProtocolV4Name, remotecommand.StreamProtocolV3Name,
		remotecommand.StreamProtocolV2Name, remotecommand.StreamProtocolV1Name,
	})
	if err != nil {
		return
	}
	streams := make(chan httpstream.Stream, 10)
	conn := upgrade(w, accept(streams))
	if conn == nil {
		return
	}
	defer func() { _ = conn.Close() }()
	want := 1
	for _, name := range []string{"stdin", "stdout", "stderr", "tty"} {
		if asks(r, name) && !(name == "stderr" && asks(r, "tty")) && !(name == "tty" && protocol < remotecommand.StreamProtocolV3Name) {
			want++
		}
	}
	c := &Command{Request: r, Protocol: protocol}
	var result io.Writer
	for range want {
		select {
		case stream := <-streams:
			switch stream.Headers().Get(corev1.StreamType) {
			case corev1.StreamTypeError:
				result = stream
			case corev1.StreamTypeStdin:
				c.Stdin = stream
			case corev1.StreamTypeStdout:
				c.Stdout = stream
			case corev1.StreamTypeStderr:
				c.Stderr = stream
			case corev1.StreamTypeResize:
				c.Resize = stream
			}
		case <-conn.CloseChan():
			return
		case <-time.After(10 * time.Second):
			return
		}
	}
	s.result(result, protocol, s.Exec(c))
}

// tunnel serves SPDY in a WebSocket.
func (s *Server) tunnel(w http.ResponseWriter, r *http.Request) {
	upgrader := websocket.Upgrader{Subprotocols: []string{portforward.WebsocketsSPDYTunnelingPortForwardV1}}
	socket, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	streams := make(chan httpstream.Stream, 100)
	conn, err := spdy.NewServerConnection(&webSocketConn{Conn: socket.NetConn(), socket: socket}, accept(streams))
	if err != nil {
		return
	}
	s.forwardAll(conn, streams)
}

// webSocketConn is a WebSocket as a net.Conn.
type webSocketConn struct {
	net.Conn
	socket  *websocket.Conn
	message io.Reader
}

func (c *webSocketConn) Read(p []byte) (int, error) {
	for {
		if c.message == nil {
			_, r, err := c.socket.NextReader()
			if err != nil {
				return 0, err
			}
			c.message = r
		}
		n, err := c.message.Read(p)
		if err == io.EOF {
			c.message, err = nil, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

func (c *webSocketConn) Close() error {
	_ = c.Conn.Close()
	return nil
}

func (c *webSocketConn) Write(p []byte) (int, error) {
	return len(p), c.socket.WriteMessage(websocket.BinaryMessage, p)
}

// forwardAll serves pairs of streams until the connection ends.
func (s *Server) forwardAll(conn httpstream.Connection, streams <-chan httpstream.Stream) {
	defer func() { _ = conn.Close() }()
	waiting := map[string]httpstream.Stream{}
	var running sync.WaitGroup
	defer running.Wait()
	for {
		var stream httpstream.Stream
		select {
		case stream = <-streams:
		case <-conn.CloseChan():
			return
		}
		id := stream.Headers().Get(corev1.PortForwardRequestIDHeader)
		other, ok := waiting[id]
		if !ok {
			waiting[id] = stream
			continue
		}
		delete(waiting, id)
		if stream.Headers().Get(corev1.StreamType) == corev1.StreamTypeError {
			stream, other = other, stream
		}
		running.Go(func() { s.forward(conn, other, stream) })
	}
}

func (s *Server) forward(conn httpstream.Connection, messages, data httpstream.Stream) {
	defer conn.RemoveStreams(messages, data)
	defer func() { _ = data.Close() }()
	defer func() { _ = messages.Close() }()
	port, _ := strconv.Atoi(data.Headers().Get(corev1.PortHeader))
	if err := s.Forward(port, data); err != nil {
		_, _ = fmt.Fprint(messages, err)
	}
}

// ExecURL returns the address of a request for a command, with these streams: any of "stdin,stdout,stderr,tty".
func (s *Server) ExecURL(streams string) string {
	query := []string{"command=secret-command"}
	for name := range strings.SplitSeq(streams, ",") {
		if name != "" {
			query = append(query, name+"=true")
		}
	}
	return s.URL + "/api/v1/namespaces/default/pods/pod/exec?" + strings.Join(query, "&")
}
