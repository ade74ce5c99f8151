package remotecommand

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/remotecommand"

	"vedette.dev/internal/streamconn"
	"vedette.dev/rest"
	"vedette.dev/transport/websocket"
)

// NewWebSocketExecutor returns an Executor that uses a WebSocket, with a version of the protocol that Kubernetes has since 1.30. The
// method is always GET, whatever is given.
func NewWebSocketExecutor(config *rest.Config, method, url string) (Executor, error) {
	return NewWebSocketExecutorForProtocols(config, method, url, remotecommand.StreamProtocolV5Name)
}

// NewWebSocketExecutorForProtocols is NewWebSocketExecutor with certain protocols, the most preferred first. Before
// "v5.channel.k8s.io" the end of stdin cannot be sent.
func NewWebSocketExecutorForProtocols(config *rest.Config, method, url string, protocols ...string) (Executor, error) {
	return newWebSocketExecutor(config, url, protocols)
}

type webSocketExecutor struct {
	config          *rest.Config
	url             string
	protocols       []string
	period, timeout time.Duration
}

func newWebSocketExecutor(config *rest.Config, target string, protocols []string) (*webSocketExecutor, error) {
	if _, err := url.Parse(target); err != nil {
		return nil, errors.New("remotecommand: invalid URL")
	}
	// Mistakes are found now. Each call of StreamWithContext makes its own, as they are for one connection.
	if _, _, err := websocket.RoundTripperFor(config); err != nil {
		return nil, fmt.Errorf("error creating websocket transports: %w", err)
	}
	return &webSocketExecutor{
		config: rest.CopyConfig(config), url: target, protocols: slices.Clone(protocols),
		period: streamconn.Period, timeout: streamconn.AnswerTimeout,
	}, nil
}

func (e *webSocketExecutor) Stream(options StreamOptions) error {
	return e.StreamWithContext(context.Background(), options)
}

func (e *webSocketExecutor) StreamWithContext(ctx context.Context, options StreamOptions) error {
	rt, holder, err := websocket.RoundTripperFor(e.config)
	if err != nil {
		return fmt.Errorf("error creating websocket transports: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.url, nil)
	if err != nil {
		return fmt.Errorf("error creating request: %w", err)
	}
	socket, err := websocket.Negotiate(rt, holder, req, e.protocols...)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	version, err := protocolOf(socket.Subprotocol())
	if err != nil {
		return errors.Join(err, socket.Close())
	}
	conn := newWebSocketConn(socket, version, e.period, e.timeout)
	return run(ctx, conn, version, options, conn.start)
}
