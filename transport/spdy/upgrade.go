package spdy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	//lint:ignore SA1019 these types are in signatures of client-go
	apistream "k8s.io/apimachinery/pkg/util/httpstream"

	"vedette.dev/internal/streamconn"
)

const spdy31 = "SPDY/3.1"

// upgrader is the innermost RoundTripper, and makes connections of its responses.
type upgrader struct {
	base http.RoundTripper

	// last is the connection of the last response. It is used if a wrapper has hidden the body of a response.
	mu   sync.Mutex
	last *body
}

func newUpgrader(d *streamconn.Dialing) *upgrader {
	if d.Other != nil {
		return &upgrader{base: d.Other}
	}
	return &upgrader{base: d.Transport}
}

// RoundTrip asks for SPDY.
func (u *upgrader) RoundTrip(req *http.Request) (*http.Response, error) {
	var raw net.Conn
	ctx := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) { raw = info.Conn },
	})
	req = req.Clone(ctx)
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set(apistream.HeaderConnection, apistream.HeaderUpgrade)
	req.Header.Set(apistream.HeaderUpgrade, spdy31)
	resp, err := u.base.RoundTrip(req)
	if err != nil || !upgraded(resp) {
		return resp, err
	}
	rwc, ok := resp.Body.(io.ReadWriteCloser)
	if !ok {
		return nil, errors.Join(fmt.Errorf("unable to upgrade connection: a %T cannot be written to", resp.Body), resp.Body.Close())
	}
	b := &body{conn: newConn(rwc, raw)}
	resp.Body = b
	u.mu.Lock()
	u.last = b
	u.mu.Unlock()
	return resp, nil
}

func upgraded(resp *http.Response) bool {
	return resp.StatusCode == http.StatusSwitchingProtocols &&
		strings.Contains(strings.ToLower(resp.Header.Get(apistream.HeaderConnection)), "upgrade") &&
		strings.EqualFold(resp.Header.Get(apistream.HeaderUpgrade), spdy31)
}

// NewConnection makes a connection of resp.
func (u *upgrader) NewConnection(resp *http.Response) (apistream.Connection, error) {
	if !upgraded(resp) {
		return nil, fmt.Errorf("unable to upgrade connection: %w", streamconn.ResponseError(resp))
	}
	b, ok := resp.Body.(*body)
	u.mu.Lock()
	if !ok {
		b = u.last
	}
	u.last = nil
	u.mu.Unlock()
	if b == nil || !b.taken.CompareAndSwap(false, true) {
		return nil, errors.New("unable to upgrade connection: the response is not of this Upgrader, or was used before")
	}
	conn, err := streamconn.NewSPDY(b.conn, streamconn.Period, streamconn.AnswerTimeout)
	if err != nil {
		return nil, fmt.Errorf("unable to upgrade connection: %w", err)
	}
	return streamconn.ForAPI(conn), nil
}

// body is the body of a response that is an upgraded connection. Closing it closes a connection that was not taken.
type body struct {
	conn  net.Conn
	taken atomic.Bool
}

func (b *body) Read([]byte) (int, error) { return 0, io.EOF }

func (b *body) Close() error {
	if b.taken.CompareAndSwap(false, true) {
		return b.conn.Close()
	}
	return nil
}

// conn is an upgraded connection as a net.Conn. What net/http has read already is in rwc, and deadlines are those of the connection
// below.
type conn struct {
	net.Conn
	rwc io.ReadWriteCloser
}

func newConn(rwc io.ReadWriteCloser, raw net.Conn) net.Conn {
	if raw == nil { // a RoundTripper that does not call httptrace
		raw = noDeadlines{}
	}
	return &conn{Conn: raw, rwc: rwc}
}

func (c *conn) Read(p []byte) (int, error)  { return c.rwc.Read(p) }
func (c *conn) Write(p []byte) (int, error) { return c.rwc.Write(p) }
func (c *conn) Close() error                { return c.rwc.Close() }

// noDeadlines has the methods that an io.ReadWriteCloser has not.
type noDeadlines struct{ net.Conn }

func (noDeadlines) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (noDeadlines) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (noDeadlines) SetDeadline(time.Time) error      { return errors.ErrUnsupported }
func (noDeadlines) SetReadDeadline(time.Time) error  { return errors.ErrUnsupported }
func (noDeadlines) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }
