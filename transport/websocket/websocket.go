// Package websocket opens WebSockets to the API server, for exec, attach and forwarding ports. Packages remotecommand and
// portforward use it.
//
//	rt, holder, err := websocket.RoundTripperFor(config)
//	conn, err := websocket.Negotiate(rt, holder, req, "v5.channel.k8s.io")
//
// Connections have the credentials, TLS options, proxy, Dial function and wrappers of the rest.Config. Of a Config.Transport, an
// *http.Transport is used; any other gives an error for which httpstream.IsUpgradeFailure is true, so that callers fall back to SPDY.
package websocket

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"

	gwebsocket "github.com/gorilla/websocket"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"vedette.dev/internal/streamconn"
	"vedette.dev/rest"
)

// ConnectionHolder has the connection that a RoundTripper has opened.
type ConnectionHolder interface {
	// DataBufferSize returns the size of the connection's buffers.
	DataBufferSize() int
	// Connection returns the connection, nil if there is none.
	Connection() *gwebsocket.Conn
}

// RoundTripper opens a WebSocket and keeps it. It is for one request.
type RoundTripper struct {
	// TLSConfig configures TLS.
	TLSConfig *tls.Config
	// Proxier returns the proxy for a request. Nil means none.
	Proxier func(req *http.Request) (*url.URL, error)
	// Conn is the connection, once it is open.
	Conn *gwebsocket.Conn

	dial, dialTLS dialFunc          // nil means the defaults
	instead       http.RoundTripper // a Config.Transport that cannot be used
}

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

var _ ConnectionHolder = (*RoundTripper)(nil)

// Connection returns the connection, nil if there is none.
func (rt *RoundTripper) Connection() *gwebsocket.Conn { return rt.Conn }

// DataBufferSize returns the size of the connection's buffers.
func (rt *RoundTripper) DataBufferSize() int { return 32 << 10 }

// TLSClientConfig returns TLSConfig.
func (rt *RoundTripper) TLSClientConfig() *tls.Config { return rt.TLSConfig }

// protocolHeader is how Negotiate passes protocols through the wrappers.
const protocolHeader = "Sec-Websocket-Protocol"

// RoundTrip opens the WebSocket. The protocols are those of the header Sec-WebSocket-Protocol. For the error of a server that
// refuses, httpstream.IsUpgradeFailure is true.
func (rt *RoundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		if err := req.Body.Close(); err != nil {
			return nil, err
		}
	}
	if rt.instead != nil {
		return nil, streamconn.Refused(fmt.Errorf("rest.Config.Transport is a %T, and only an *http.Transport can open a WebSocket", rt.instead))
	}
	target := *req.URL
	switch target.Scheme {
	case "https":
		target.Scheme = "wss"
	case "http":
		target.Scheme = "ws"
	default:
		return nil, fmt.Errorf("unknown url scheme: %q", target.Scheme)
	}
	protocols := req.Header.Values(protocolHeader)
	header := req.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	for _, h := range []string{protocolHeader, "Connection", "Upgrade"} { // the library sets them
		header.Del(h)
	}
	if user := target.User; user != nil { // no part of the URL of a WebSocket
		target.User = nil
		if header.Get("Authorization") == "" {
			password, _ := user.Password()
			basic := &http.Request{Header: header}
			basic.SetBasicAuth(user.Username(), password)
		}
	}
	if req.Host != "" && req.Host != req.URL.Host {
		header["Host"] = []string{req.Host}
	}

	var opened watch
	dialer := gwebsocket.Dialer{
		NetDialContext:  opened.dial(rt.dial),
		Proxy:           rt.Proxier,
		TLSClientConfig: rt.TLSConfig,
		Subprotocols:    protocols,
		ReadBufferSize:  rt.DataBufferSize() + 1024, // for the head of a message
		WriteBufferSize: rt.DataBufferSize() + 1024,
	}
	if rt.dialTLS != nil {
		dialer.NetDialTLSContext = opened.dial(rt.dialTLS)
	}
	conn, resp, err := dialer.DialContext(req.Context(), target.String(), header)
	if late := opened.finish(req.Context()); late != nil {
		if conn != nil {
			_ = conn.Close()
		}
		return nil, late
	}
	if err != nil {
		return nil, handshakeError(resp, err)
	}
	if got := conn.Subprotocol(); len(protocols) > 0 && !slices.Contains(protocols, got) {
		_ = conn.Close()
		return nil, streamconn.Refused(fmt.Errorf("invalid protocol, expected one of %q, got %q", protocols, got))
	}
	rt.Conn = conn
	return resp, nil
}

// handshakeError returns the error of a handshake, with what the server says.
func handshakeError(resp *http.Response, err error) error {
	if !errors.Is(err, gwebsocket.ErrBadHandshake) {
		return err
	}
	if resp == nil {
		return streamconn.Refused(err)
	}
	defer func() { _ = resp.Body.Close() }()
	said := streamconn.ResponseError(resp)
	if status := (*apierrors.StatusError)(nil); errors.As(said, &status) {
		return streamconn.Refused(said)
	}
	return streamconn.Refused(fmt.Errorf("%w (%s): %w", err, resp.Status, said))
}

// watch closes the connection of a handshake when the context ends, which the library does not.
type watch struct {
	stops []func() bool
}

func (w *watch) dial(next dialFunc) dialFunc {
	if next == nil {
		next = new(net.Dialer).DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := next(ctx, network, address)
		if err == nil {
			w.stops = append(w.stops, context.AfterFunc(ctx, func() { _ = conn.Close() }))
		}
		return conn, err
	}
}

// finish ends the watch. It returns the error of ctx if the connection is closed, or will be at any moment.
func (w *watch) finish(ctx context.Context) error {
	for _, stop := range w.stops {
		if !stop() {
			return ctx.Err()
		}
	}
	return nil
}

// RoundTripperFor returns a RoundTripper that opens a WebSocket to the server of config, and what holds the connection then. Both are
// for one request.
func RoundTripperFor(config *rest.Config) (http.RoundTripper, ConnectionHolder, error) {
	dialing, err := streamconn.DialingFor(config)
	if err != nil {
		return nil, nil, err
	}
	own := &RoundTripper{instead: dialing.Other}
	if t := dialing.Transport; t != nil {
		own.TLSConfig, own.Proxier, own.dial, own.dialTLS = t.TLSClientConfig, t.Proxy, t.DialContext, t.DialTLSContext
	}
	rt, err := dialing.Wrap(own)
	if err != nil {
		return nil, nil, err
	}
	return rt, own, nil
}

// Negotiate opens a WebSocket by req, with one of protocols, which Subprotocol of the connection names. rt and holder are those of
// RoundTripperFor.
func Negotiate(rt http.RoundTripper, holder ConnectionHolder, req *http.Request, protocols ...string) (*gwebsocket.Conn, error) {
	req = req.Clone(req.Context())
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header[protocolHeader] = slices.Clone(protocols)
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return nil, streamconn.RequestError(req, err)
	}
	err = resp.Body.Close()
	conn := holder.Connection()
	switch {
	case conn == nil:
		return nil, errors.Join(errors.New("no WebSocket was opened: the RoundTripper and the ConnectionHolder do not belong together"), err)
	case err != nil:
		return nil, errors.Join(fmt.Errorf("error closing response body: %w", err), conn.Close())
	}
	return conn, nil
}
