package portforward

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-logr/logr"
	//lint:ignore SA1019 these types are in signatures of client-go
	apistream "k8s.io/apimachinery/pkg/util/httpstream"
	constants "k8s.io/apimachinery/pkg/util/portforward"
	"k8s.io/streaming/pkg/httpstream"

	"vedette.dev/internal/streamconn"
	"vedette.dev/rest"
	"vedette.dev/transport/websocket"
)

// PingPeriod is how often the other end of a connection is pinged through a WebSocket.
const PingPeriod = 10 * time.Second

// NewSPDYOverWebsocketDialer returns a dialer that opens connections as SPDY in a WebSocket, which Kubernetes has since 1.30.
func NewSPDYOverWebsocketDialer(url *url.URL, config *rest.Config) (apistream.Dialer, error) {
	d, err := newTunnelDialer(url, config)
	if err != nil {
		return nil, err
	}
	return apiDialer{d}, nil
}

// NewSPDYOverWebsocketDialerWithLogger returns the same as NewSPDYOverWebsocketDialer, whose connections return errors and log nothing.
func NewSPDYOverWebsocketDialerWithLogger(_ logr.Logger, url *url.URL, config *rest.Config) (apistream.Dialer, error) {
	return NewSPDYOverWebsocketDialer(url, config)
}

// NewSPDYOverWebsocketDialerForStreaming is NewSPDYOverWebsocketDialer for callers that use the types of k8s.io/streaming.
func NewSPDYOverWebsocketDialerForStreaming(url *url.URL, config *rest.Config) (httpstream.Dialer, error) {
	return newTunnelDialer(url, config)
}

// NewSPDYOverWebsocketDialerForStreamingWithLogger returns the same as NewSPDYOverWebsocketDialerForStreaming.
func NewSPDYOverWebsocketDialerForStreamingWithLogger(_ logr.Logger, url *url.URL, config *rest.Config) (httpstream.Dialer, error) {
	return newTunnelDialer(url, config)
}

func newTunnelDialer(url *url.URL, config *rest.Config) (httpstream.Dialer, error) {
	if url == nil {
		return nil, errors.New("portforward: a dialer needs a URL")
	}
	// Mistakes are found now. Each Dial makes its own, as they are for one connection.
	if _, _, err := websocket.RoundTripperFor(config); err != nil {
		return nil, err
	}
	return &tunnelDialer{url: url.String(), config: rest.CopyConfig(config)}, nil
}

type tunnelDialer struct {
	url    string
	config *rest.Config
}

func (d *tunnelDialer) Dial(protocols ...string) (httpstream.Connection, string, error) {
	return d.DialContext(context.Background(), protocols...)
}

func (d *tunnelDialer) DialContext(ctx context.Context, protocols ...string) (httpstream.Connection, string, error) {
	rt, holder, err := websocket.RoundTripperFor(d.config)
	if err != nil {
		return nil, "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url, nil)
	if err != nil {
		return nil, "", fmt.Errorf("error creating request: %w", err)
	}
	tunnels := make([]string, len(protocols))
	for i, p := range protocols {
		tunnels[i] = constants.WebsocketsSPDYTunnelingPrefix + p
	}
	socket, err := websocket.Negotiate(rt, holder, req, tunnels...)
	if err != nil {
		return nil, "", err
	}
	tunnel := newTunnel(socket)
	tunnel.beat = streamconn.NewHeartbeat(socket, streamconn.Period, streamconn.AnswerTimeout)
	conn, err := streamconn.NewSPDY(tunnel, PingPeriod, streamconn.AnswerTimeout)
	if err != nil {
		return nil, "", err
	}
	return conn, strings.TrimPrefix(socket.Subprotocol(), constants.WebsocketsSPDYTunnelingPrefix), nil
}

// contextDialer is a dialer that can be interrupted, as those of Vedette can.
type contextDialer[C any] interface {
	DialContext(ctx context.Context, protocols ...string) (C, string, error)
}

// dial dials, and ends with ctx if the dialer can.
func dial[C any](ctx context.Context, d interface {
	Dial(protocols ...string) (C, string, error)
}, protocols ...string) (C, string, error) {
	if d, ok := d.(contextDialer[C]); ok {
		return d.DialContext(ctx, protocols...)
	}
	return d.Dial(protocols...)
}

// apiDialer is a dialer with the types of k8s.io/apimachinery.
type apiDialer struct{ streaming httpstream.Dialer }

func (d apiDialer) Dial(protocols ...string) (apistream.Connection, string, error) {
	return d.DialContext(context.Background(), protocols...)
}

func (d apiDialer) DialContext(ctx context.Context, protocols ...string) (apistream.Connection, string, error) {
	conn, protocol, err := dial(ctx, d.streaming, protocols...)
	if err != nil {
		return nil, "", err
	}
	return streamconn.ForAPI(conn), protocol, nil
}

// FallbackDialer tries one dialer, and another if the first fails in a certain way.
type FallbackDialer struct{ fallback[apistream.Connection] }

// StreamingFallbackDialer is a FallbackDialer with the types of k8s.io/streaming.
type StreamingFallbackDialer struct {
	fallback[httpstream.Connection]
}

var (
	_ apistream.Dialer  = (*FallbackDialer)(nil)
	_ httpstream.Dialer = (*StreamingFallbackDialer)(nil)
)

// NewFallbackDialer returns a dialer that uses primary, and secondary if shouldFallback says so about the error of primary.
func NewFallbackDialer(primary, secondary apistream.Dialer, shouldFallback func(error) bool) apistream.Dialer {
	return &FallbackDialer{fallback[apistream.Connection]{primary, secondary, shouldFallback}}
}

// NewFallbackDialerForStreaming is NewFallbackDialer for callers that use the types of k8s.io/streaming.
func NewFallbackDialerForStreaming(primary, secondary httpstream.Dialer, shouldFallback func(error) bool) httpstream.Dialer {
	return &StreamingFallbackDialer{fallback[httpstream.Connection]{primary, secondary, shouldFallback}}
}

// fallback is a fallback for either kind of connection.
type fallback[C any] struct {
	primary, secondary interface {
		Dial(protocols ...string) (C, string, error)
	}
	shouldFallback func(error) bool
}

// Dial opens a connection.
func (f *fallback[C]) Dial(protocols ...string) (C, string, error) {
	return f.DialContext(context.Background(), protocols...)
}

// DialContext is Dial with a context, for dialers that can be interrupted.
func (f *fallback[C]) DialContext(ctx context.Context, protocols ...string) (C, string, error) {
	if f.primary == nil || f.secondary == nil || f.shouldFallback == nil {
		return *new(C), "", errors.New("portforward: a fallback needs two dialers and a function")
	}
	conn, protocol, err := dial(ctx, f.primary, protocols...)
	if err != nil && ctx.Err() == nil && f.shouldFallback(err) {
		return dial(ctx, f.secondary, protocols...)
	}
	return conn, protocol, err
}
