// Package spdy opens connections to the API server that carry several streams by SPDY/3.1: for exec and attach with older servers,
// and for forwarding ports. Packages remotecommand and portforward use it.
//
//	rt, upgrader, err := spdy.RoundTripperFor(config)
//	dialer := spdy.NewDialer(upgrader, &http.Client{Transport: rt}, http.MethodPost, url)
//
// Connections have the credentials, TLS options, proxy, Dial function and wrappers of the rest.Config. A redirect to another host
// gets no credentials. A Config.Transport is used as far as it can be: an *http.Transport without its HTTP/2, another RoundTripper
// if it answers an upgrade with a response whose body is an io.ReadWriteCloser, as net/http does.
//
// Names with Streaming take or return types of k8s.io/streaming in place of those of k8s.io/apimachinery.
package spdy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	//lint:ignore SA1019 these types are in signatures of client-go
	apistream "k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/streaming/pkg/httpstream"

	"vedette.dev/internal/streamconn"
	"vedette.dev/rest"
)

// Upgrader makes a connection of streams of a server's response.
type Upgrader interface {
	// NewConnection returns the connection. If the server did not upgrade it, the error has what the server says.
	NewConnection(resp *http.Response) (apistream.Connection, error)
}

// RoundTripperFor returns a RoundTripper that asks the server of config for SPDY, and the Upgrader for its responses.
func RoundTripperFor(config *rest.Config) (http.RoundTripper, Upgrader, error) {
	dialing, err := streamconn.DialingFor(config)
	if err != nil {
		return nil, nil, err
	}
	u := newUpgrader(dialing)
	rt, err := dialing.Wrap(u)
	if err != nil {
		return nil, nil, err
	}
	return rt, u, nil
}

// NewUpgraderForStreaming returns an Upgrader for one of k8s.io/streaming.
func NewUpgraderForStreaming(upgrader httpstream.UpgradeRoundTripper) Upgrader {
	return streamingUpgrader{upgrader}
}

type streamingUpgrader struct{ httpstream.UpgradeRoundTripper }

func (u streamingUpgrader) NewConnection(resp *http.Response) (apistream.Connection, error) {
	conn, err := u.UpgradeRoundTripper.NewConnection(resp)
	if err != nil {
		return nil, err
	}
	return streamconn.ForAPI(conn), nil
}

// NewDialer returns a dialer that opens connections by requests to url. The client's transport and the upgrader are those of
// RoundTripperFor.
func NewDialer(upgrader Upgrader, client *http.Client, method string, url *url.URL) apistream.Dialer {
	return &dialer{upgrader: upgrader, client: client, method: method, url: url}
}

// NewDialerForStreaming is NewDialer for callers that use the types of k8s.io/streaming.
func NewDialerForStreaming(upgrader Upgrader, client *http.Client, method string, url *url.URL) httpstream.Dialer {
	return &streamingDialer{dialer{upgrader: upgrader, client: client, method: method, url: url}}
}

type dialer struct {
	upgrader Upgrader
	client   *http.Client
	method   string
	url      *url.URL
}

// Dial opens a connection.
func (d *dialer) Dial(protocols ...string) (apistream.Connection, string, error) {
	return d.DialContext(context.Background(), protocols...)
}

// DialContext is Dial with a context, which has no meaning once the connection is open.
func (d *dialer) DialContext(ctx context.Context, protocols ...string) (apistream.Connection, string, error) {
	if d.upgrader == nil || d.client == nil || d.url == nil {
		return nil, "", errors.New("spdy: a dialer needs an upgrader, a client and a URL")
	}
	req, err := http.NewRequestWithContext(ctx, d.method, d.url.String(), nil)
	if err != nil {
		return nil, "", fmt.Errorf("error creating request: %w", err)
	}
	return Negotiate(d.upgrader, d.client, req, protocols...)
}

type streamingDialer struct{ dialer }

// Dial opens a connection.
func (d *streamingDialer) Dial(protocols ...string) (httpstream.Connection, string, error) {
	return d.DialContext(context.Background(), protocols...)
}

// DialContext is Dial with a context, which has no meaning once the connection is open.
func (d *streamingDialer) DialContext(ctx context.Context, protocols ...string) (httpstream.Connection, string, error) {
	conn, protocol, err := d.dialer.DialContext(ctx, protocols...)
	return streamconn.ForStreaming(conn), protocol, err
}

// Negotiate sends req, and returns the connection that the server made of it and the protocol that it has chosen of protocols. The
// client's transport and the upgrader are those of RoundTripperFor.
func Negotiate(upgrader Upgrader, client *http.Client, req *http.Request, protocols ...string) (apistream.Connection, string, error) {
	if req.Header == nil {
		req.Header = http.Header{}
	}
	for _, p := range protocols {
		req.Header.Add(apistream.HeaderProtocolVersion, p)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, "", fmt.Errorf("error sending request: %w", streamconn.RequestError(req, err))
	}
	defer func() { _ = resp.Body.Close() }() // the connection was taken out of it
	conn, err := upgrader.NewConnection(resp)
	if err != nil {
		return nil, "", err
	}
	return conn, resp.Header.Get(apistream.HeaderProtocolVersion), nil
}

// NegotiateStreaming is Negotiate for callers that use the types of k8s.io/streaming.
func NegotiateStreaming(upgrader Upgrader, client *http.Client, req *http.Request, protocols ...string) (httpstream.Connection, string, error) {
	conn, protocol, err := Negotiate(upgrader, client, req, protocols...)
	return streamconn.ForStreaming(conn), protocol, err
}
