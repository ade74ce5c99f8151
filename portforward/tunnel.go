package portforward

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/gorilla/websocket"

	"vedette.dev/internal/streamconn"
)

// TunnelingConnection is a WebSocket as a net.Conn, so that SPDY can go through it.
type TunnelingConnection struct {
	socket *websocket.Conn
	beat   *streamconn.Heartbeat // nil if it is not ours to ping

	message io.Reader // that is being read

	writing  sync.Mutex
	closing  sync.Once
	closeErr error
}

var _ net.Conn = (*TunnelingConnection)(nil)

// NewTunnelingConnection returns conn as a net.Conn. It logs nothing, so the name has no effect.
func NewTunnelingConnection(_ string, conn *websocket.Conn) *TunnelingConnection {
	return newTunnel(conn)
}

// NewTunnelingConnectionWithLogger returns conn as a net.Conn, which logs nothing.
func NewTunnelingConnectionWithLogger(_ logr.Logger, conn *websocket.Conn) *TunnelingConnection {
	return newTunnel(conn)
}

func newTunnel(conn *websocket.Conn) *TunnelingConnection { return &TunnelingConnection{socket: conn} }

// Read reads data from binary messages. When the peer has closed the WebSocket properly, it returns io.EOF.
func (c *TunnelingConnection) Read(p []byte) (int, error) {
	if c.beat != nil {
		c.beat.BeforeRead()
		defer c.beat.AfterRead()
	}
	for {
		if c.message == nil {
			kind, r, err := c.socket.NextReader()
			if err != nil {
				return 0, c.explain(err)
			}
			if kind != websocket.BinaryMessage {
				return 0, fmt.Errorf("unexpected message type: %d", kind)
			}
			c.message = r
		}
		n, err := c.message.Read(p)
		if err == io.EOF {
			c.message, err = nil, nil
			if n == 0 {
				continue
			}
		}
		if err != nil {
			err = c.explain(err)
		}
		return n, err
	}
}

func (c *TunnelingConnection) explain(err error) error {
	var closed *websocket.CloseError
	if errors.As(err, &closed) && closed.Code == websocket.CloseNormalClosure {
		return io.EOF
	}
	if c.beat != nil {
		return c.beat.Cause(err)
	}
	return err
}

// Write sends p as one message.
func (c *TunnelingConnection) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.beat != nil {
		c.beat.Writing()
		defer c.beat.Wrote()
	}
	if err := c.socket.WriteMessage(websocket.BinaryMessage, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close closes the WebSocket.
func (c *TunnelingConnection) Close() error {
	c.closing.Do(func() {
		normal := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
		_ = c.socket.WriteControl(websocket.CloseMessage, normal, time.Now().Add(time.Second))
		c.closeErr = c.socket.Close()
		if c.beat != nil {
			c.beat.Stop()
		}
	})
	return c.closeErr
}

// LocalAddr returns the local address.
func (c *TunnelingConnection) LocalAddr() net.Addr { return c.socket.LocalAddr() }

// RemoteAddr returns the address of the peer.
func (c *TunnelingConnection) RemoteAddr() net.Addr { return c.socket.RemoteAddr() }

// SetDeadline sets both deadlines.
func (c *TunnelingConnection) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline sets the deadline of reads.
func (c *TunnelingConnection) SetReadDeadline(t time.Time) error { return c.socket.SetReadDeadline(t) }

// SetWriteDeadline sets the deadline of writes, also of one that is under way.
func (c *TunnelingConnection) SetWriteDeadline(t time.Time) error {
	if c.writing.TryLock() {
		defer c.writing.Unlock()
		if err := c.socket.SetWriteDeadline(t); err != nil {
			return err
		}
	}
	return c.socket.NetConn().SetWriteDeadline(t)
}
