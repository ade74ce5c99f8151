package remotecommand_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/streaming/pkg/httpstream"

	"vedette.dev/exec"
	"vedette.dev/internal/streamtest"
	"vedette.dev/kubernetes/scheme"
	typedcorev1 "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/remotecommand"
	"vedette.dev/rest"
)

// This runs a command in a pod, gives it some input, and prints its output and its exit code. It uses a WebSocket, and SPDY where a
// WebSocket is refused.
func Example() {
	config, stop := cluster() // in a program: clientcmd.BuildConfigFromFlags, or rest.InClusterConfig
	defer stop()

	err := run(context.Background(), config)
	var exit exec.CodeExitError
	if errors.As(err, &exit) {
		fmt.Println("exit code", exit.Code)
	} else if err != nil {
		fmt.Println(err)
	}
	// Output:
	// HELLO
	// exit code 3
}

func run(ctx context.Context, config *rest.Config) error {
	client, err := typedcorev1.NewForConfig(config)
	if err != nil {
		return err
	}
	request := client.RESTClient().Post().
		Resource("pods").Namespace("default").Name("web-0").SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{
			Container: "main", Command: []string{"sh", "-c", "tr a-z A-Z; exit 3"}, Stdin: true, Stdout: true, Stderr: true,
		}, scheme.ParameterCodec)

	websocket, err := remotecommand.NewWebSocketExecutor(config, http.MethodGet, request.URL().String())
	if err != nil {
		return err
	}
	spdy, err := remotecommand.NewSPDYExecutor(config, http.MethodPost, request.URL())
	if err != nil {
		return err
	}
	executor, err := remotecommand.NewFallbackExecutor(websocket, spdy, httpstream.IsUpgradeFailure)
	if err != nil {
		return err
	}
	return executor.StreamWithContext(ctx, remotecommand.StreamOptions{
		Stdin: strings.NewReader("hello\n"), Stdout: os.Stdout, Stderr: os.Stderr,
	})
}

// cluster is a server that runs the command of the example.
func cluster() (config *rest.Config, stop func()) {
	t := &cleanups{}
	s := streamtest.New(t)
	s.Exec = func(c *streamtest.Command) error {
		in, _ := io.ReadAll(c.Stdin)
		_, _ = io.WriteString(c.Stdout, strings.ToUpper(string(in)))
		return exec.CodeExitError{Code: 3}
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
