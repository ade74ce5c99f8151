package remotecommand

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"k8s.io/apimachinery/pkg/util/remotecommand"

	"vedette.dev/rest"
	"vedette.dev/transport/spdy"
)

// NewSPDYExecutor returns an Executor that uses SPDY, which all versions of Kubernetes understand.
func NewSPDYExecutor(config *rest.Config, method string, url *url.URL) (Executor, error) {
	rt, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return nil, err
	}
	return NewSPDYExecutorForTransports(rt, upgrader, method, url)
}

// NewSPDYExecutorRejectRedirects returns an Executor for which a redirect is an error.
func NewSPDYExecutorRejectRedirects(transport http.RoundTripper, upgrader spdy.Upgrader, method string, url *url.URL) (Executor, error) {
	e, err := newSPDYExecutor(transport, upgrader, method, url, spdyProtocols()...)
	if err != nil {
		return nil, err
	}
	e.client.CheckRedirect = func(*http.Request, []*http.Request) error { return errors.New("redirect not allowed") }
	return e, nil
}

// NewSPDYExecutorForTransports returns an Executor that uses what spdy.RoundTripperFor returns, or something alike.
func NewSPDYExecutorForTransports(transport http.RoundTripper, upgrader spdy.Upgrader, method string, url *url.URL) (Executor, error) {
	return NewSPDYExecutorForProtocols(transport, upgrader, method, url, spdyProtocols()...)
}

// NewSPDYExecutorForProtocols is NewSPDYExecutorForTransports with certain protocols only, the most preferred first.
func NewSPDYExecutorForProtocols(transport http.RoundTripper, upgrader spdy.Upgrader, method string, url *url.URL, protocols ...string) (Executor, error) {
	return newSPDYExecutor(transport, upgrader, method, url, protocols...)
}

func spdyProtocols() []string {
	return []string{
		remotecommand.StreamProtocolV5Name, remotecommand.StreamProtocolV4Name, remotecommand.StreamProtocolV3Name,
		remotecommand.StreamProtocolV2Name, remotecommand.StreamProtocolV1Name,
	}
}

type spdyExecutor struct {
	client    http.Client
	upgrader  spdy.Upgrader
	method    string
	url       string
	protocols []string
}

func newSPDYExecutor(transport http.RoundTripper, upgrader spdy.Upgrader, method string, url *url.URL, protocols ...string) (*spdyExecutor, error) {
	if transport == nil || upgrader == nil || url == nil {
		return nil, errors.New("remotecommand: a SPDY executor needs a transport, an upgrader and a URL")
	}
	return &spdyExecutor{client: http.Client{Transport: transport}, upgrader: upgrader, method: method, url: url.String(), protocols: protocols}, nil
}

func (e *spdyExecutor) Stream(options StreamOptions) error {
	return e.StreamWithContext(context.Background(), options)
}

func (e *spdyExecutor) StreamWithContext(ctx context.Context, options StreamOptions) error {
	req, err := http.NewRequestWithContext(ctx, e.method, e.url, nil)
	if err != nil {
		return fmt.Errorf("error creating request: %w", err)
	}
	conn, name, err := spdy.NegotiateStreaming(e.upgrader, &e.client, req, e.protocols...)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	version, err := protocolOf(name)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	return run(ctx, conn, version, options, func() {})
}
