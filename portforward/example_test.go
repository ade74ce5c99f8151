package portforward_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"k8s.io/streaming/pkg/httpstream"

	"vedette.dev/internal/streamtest"
	typedcorev1 "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/portforward"
	"vedette.dev/rest"
	"vedette.dev/transport/spdy"
)

// This forwards a port of this machine to port 80 of a pod, and makes a request to it. It uses a WebSocket, and SPDY where a WebSocket is
// refused.
func Example() {
	config, stop := cluster() // in a program: clientcmd.BuildConfigFromFlags, or rest.InClusterConfig
	defer stop()

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	dialer, err := newDialer(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	ready := make(chan struct{})
	forwarder, err := portforward.NewOnAddressesForStreamingWithContext(ctx, dialer, []string{"127.0.0.1"}, []string{":80"}, ready, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ended := make(chan error, 1)
	go func() { ended <- forwarder.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-ended:
		fmt.Println(err)
		return
	}
	ports, err := forwarder.GetPorts()
	if err != nil {
		fmt.Println(err)
		return
	}

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(fmt.Sprintf("http://127.0.0.1:%d/", ports[0].Local))
	if err != nil {
		fmt.Println(err)
		return
	}
	body, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	fmt.Println(string(body))

	cancel()
	fmt.Println(<-ended)
	// Output:
	// hello from port 80
	// <nil>
}

func newDialer(config *rest.Config) (httpstream.Dialer, error) {
	client, err := typedcorev1.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	url := client.RESTClient().Post().Resource("pods").Namespace("default").Name("web-0").SubResource("portforward").URL()
	websocket, err := portforward.NewSPDYOverWebsocketDialerForStreaming(url, config)
	if err != nil {
		return nil, err
	}
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return nil, err
	}
	second := spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: transport}, http.MethodPost, url)
	return portforward.NewFallbackDialerForStreaming(websocket, second, httpstream.IsUpgradeFailure), nil
}

// cluster is a server whose pods answer HTTP.
func cluster() (config *rest.Config, stop func()) {
	t := &cleanups{}
	s := streamtest.New(t)
	s.Forward = func(port int, data io.ReadWriteCloser) error {
		_, _ = data.Read(make([]byte, 4096))
		text := fmt.Sprintf("hello from port %d", port)
		_, err := fmt.Fprintf(data, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
		return err
	}
	s.Start()
	return &rest.Config{Host: s.URL}, t.run
}

// cleanups stands in for a test.
type cleanups struct {
	testing.TB
	fns []func()
}

func (c *cleanups) Cleanup(fn func()) { c.fns = append(c.fns, fn) }

func (c *cleanups) run() {
	for _, fn := range c.fns {
		fn()
	}
}
