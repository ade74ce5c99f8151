package remotecommand

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/streaming/pkg/httpstream"

	"vedette.dev/internal/streamconn"
)

// webSocketConn is a WebSocket whose messages begin with the number of a stream.
type webSocketConn struct {
	socket  *websocket.Conn
	version protocol
	beat    *streamconn.Heartbeat

	// streams by their number. It is not changed once start was called.
	streams map[byte]*webSocketStream

	writing sync.Mutex // held while a message is written

	mu  sync.Mutex
	err error // why the connection was lost

	closing sync.Once
	started bool
	read    chan struct{} // closed when nothing reads any more
}

// errClosed is what streams return after Close.
var errClosed = fmt.Errorf("stream connection: %w", net.ErrClosed)

func newWebSocketConn(socket *websocket.Conn, version protocol, period, timeout time.Duration) *webSocketConn {
	return &webSocketConn{
		socket: socket, version: version, beat: streamconn.NewHeartbeat(socket, period, timeout),
		streams: map[byte]*webSocketStream{}, read: make(chan struct{}),
	}
}

// numberOf returns the number of a kind of stream.
func numberOf(kind string) (byte, bool) {
	switch kind {
	case corev1.StreamTypeStdin:
		return remotecommand.StreamStdIn, true
	case corev1.StreamTypeStdout:
		return remotecommand.StreamStdOut, true
	case corev1.StreamTypeStderr:
		return remotecommand.StreamStdErr, true
	case corev1.StreamTypeError:
		return remotecommand.StreamErr, true
	case corev1.StreamTypeResize:
		return remotecommand.StreamResize, true
	}
	return 0, false
}

// CreateStream creates a stream. Nothing is sent: the server knows from the request which streams there are.
func (c *webSocketConn) CreateStream(headers http.Header) (httpstream.Stream, error) {
	number, ok := numberOf(headers.Get(corev1.StreamType))
	if !ok {
		return nil, fmt.Errorf("unknown stream type: %q", headers.Get(corev1.StreamType))
	}
	s := &webSocketStream{conn: c, number: number, headers: headers, incoming: newQueue()}
	c.streams[number] = s
	return s, nil
}

// start begins to read, when all streams exist.
func (c *webSocketConn) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started = true
	go c.readAll()
}

// Close closes the connection, and returns when nothing of it runs.
func (c *webSocketConn) Close() error {
	c.closing.Do(func() {
		c.fail(errClosed)
		normal := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
		_ = c.socket.WriteControl(websocket.CloseMessage, normal, time.Now().Add(closeTimeout))
		_ = c.socket.Close()
		c.beat.Stop()
	})
	c.mu.Lock()
	started := c.started
	c.mu.Unlock()
	if !started {
		return nil
	}
	for _, s := range c.streams {
		s.incoming.stop()
	}
	<-c.read
	return nil
}

// closeTimeout is how long it may take to send the last message.
const closeTimeout = 250 * time.Millisecond

// Err returns why the connection was lost.
func (c *webSocketConn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *webSocketConn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}

// readAll hands messages to the streams, until the connection ends.
func (c *webSocketConn) readAll() {
	defer close(c.read)
	err := c.readMessages()
	var closed *websocket.CloseError
	if errors.As(err, &closed) && closed.Code == websocket.CloseNormalClosure {
		err = io.EOF
	} else {
		err = c.beat.Lost(err)
		c.fail(err)
		if own := c.Err(); own == errClosed {
			err = own
		}
	}
	for _, s := range c.streams {
		s.incoming.end(err)
	}
}

func (c *webSocketConn) readMessages() error {
	buffer := make([]byte, bufferSize)
	for {
		c.beat.BeforeRead()
		kind, r, err := c.socket.NextReader()
		c.beat.AfterRead()
		if err != nil {
			return err
		}
		if kind != websocket.BinaryMessage {
			return fmt.Errorf("unexpected message type: %d", kind)
		}
		if _, err := io.ReadFull(r, buffer[:1]); err != nil {
			return fmt.Errorf("a message without the number of its stream: %w", err)
		}
		number := buffer[0]
		if number == remotecommand.StreamClose && c.version.halfCloses {
			if _, err := io.ReadFull(r, buffer[:1]); err != nil {
				return fmt.Errorf("a message that closes no stream: %w", err)
			}
			if s := c.streams[buffer[0]]; s != nil {
				s.incoming.end(io.EOF)
			}
			continue
		}
		s := c.streams[number] // nil if it was not asked for: its messages are dropped
		for {
			c.beat.BeforeRead()
			n, err := r.Read(buffer)
			c.beat.AfterRead()
			if n > 0 && s != nil {
				s.incoming.add(buffer[:n])
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
		}
	}
}

// send sends a message of two parts.
func (c *webSocketConn) send(head, body []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.beat.Writing()
	defer c.beat.Wrote()
	w, err := c.socket.NextWriter(websocket.BinaryMessage)
	if err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Close()
}

// webSocketStream is a stream of a webSocketConn.
type webSocketStream struct {
	conn     *webSocketConn
	number   byte
	headers  http.Header
	incoming *queue
}

func (s *webSocketStream) Read(p []byte) (int, error) { return s.incoming.read(p) }

func (s *webSocketStream) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		part := p[:min(len(p), bufferSize)]
		if err := s.conn.send([]byte{s.number}, part); err != nil {
			if lost := s.conn.Err(); lost != nil {
				err = lost
			}
			return n, err
		}
		n += len(part)
		p = p[len(part):]
	}
	return n, nil
}

// Close sends the end of the stream, if the protocol can.
func (s *webSocketStream) Close() error {
	if !s.conn.version.halfCloses {
		return nil
	}
	return s.conn.send([]byte{remotecommand.StreamClose}, []byte{s.number})
}

// Reset ends both directions.
func (s *webSocketStream) Reset() error {
	s.incoming.stop()
	return s.Close()
}

func (s *webSocketStream) Headers() http.Header { return s.headers }

func (s *webSocketStream) Identifier() uint32 { return uint32(s.number) }
