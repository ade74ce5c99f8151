package e2e

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/streaming/pkg/httpstream"

	"vedette.dev/exec"
	"vedette.dev/internal/streamtest"
	"vedette.dev/kubernetes/scheme"
	"vedette.dev/portforward"
	"vedette.dev/remotecommand"
	"vedette.dev/rest"
	"vedette.dev/transport/spdy"
)

// streamsLimit is how long a test of streams may take.
const streamsLimit = time.Minute

// newKubelet starts what the API server takes for a kubelet, and creates its node and a pod on it.
func newKubelet(t *testing.T) (kubelet *streamtest.Server, pod *corev1.Pod) {
	t.Helper()
	kubelet = streamtest.New(t)
	kubelet.StartTLS()
	host, portText, err := net.SplitHostPort(kubelet.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		t.Fatal(err)
	}

	client := newClientset(t)
	ctx := t.Context()
	node, err := client.CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "streams-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.CoreV1().Nodes().Delete(context.WithoutCancel(ctx), node.Name, metav1.DeleteOptions{})
	})
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: host}}
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(port)
	if _, err := client.CoreV1().Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	pod = newPod("pod", nil)
	pod.Spec.NodeName = node.Name
	pod.Spec.Containers[0].Stdin, pod.Spec.Containers[0].TTY = true, true
	pod, err = client.CoreV1().Pods(newNamespace(t, client)).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return kubelet, pod
}

// subresource returns the URL of a subresource of a pod.
func subresource(t *testing.T, pod *corev1.Pod, name string, options runtime.Object) *url.URL {
	t.Helper()
	request := newClientset(t).CoreV1().RESTClient().Post().
		Resource("pods").Namespace(pod.Namespace).Name(pod.Name).SubResource(name)
	if options != nil {
		request = request.VersionedParams(options, scheme.ParameterCodec)
	}
	return request.URL()
}

func newExecutor(t *testing.T, transport string, config *rest.Config, u *url.URL) remotecommand.Executor {
	t.Helper()
	var executor remotecommand.Executor
	var err error
	if transport == "websocket" {
		executor, err = remotecommand.NewWebSocketExecutor(config, http.MethodGet, u.String())
	} else {
		executor, err = remotecommand.NewSPDYExecutor(config, http.MethodPost, u)
	}
	if err != nil {
		t.Fatal(err)
	}
	return executor
}

func eachTransport(t *testing.T, test func(t *testing.T, transport string)) {
	for _, transport := range []string{"websocket", "spdy"} {
		t.Run(transport, func(t *testing.T) { test(t, transport) })
	}
}

// Commands run in pods: input and output of megabytes, the end of stdin, stderr, and the exit code.
func TestExec(t *testing.T) {
	kubelet, pod := newKubelet(t)
	kubelet.Exec = func(c *streamtest.Command) error {
		_, _ = io.WriteString(c.Stderr, strings.Join(c.Request.URL.Query()["command"], " "))
		if _, err := io.Copy(c.Stdout, c.Stdin); err != nil {
			return err
		}
		_, _ = io.WriteString(c.Stdout, "end")
		return exec.CodeExitError{Code: 7}
	}
	u := subresource(t, pod, "exec", &corev1.PodExecOptions{Command: []string{"cat", "-"}, Stdin: true, Stdout: true, Stderr: true})
	eachTransport(t, func(t *testing.T, transport string) {
		in := strings.Repeat("0123456789abcdef", 4<<20/16)
		var stdout, stderr bytes.Buffer
		err := newExecutor(t, transport, adminConfig(t), u).StreamWithContext(within(t, streamsLimit), remotecommand.StreamOptions{
			Stdin: strings.NewReader(in), Stdout: &stdout, Stderr: &stderr,
		})
		if exit, ok := err.(exec.CodeExitError); !ok || exit.Code != 7 {
			t.Errorf("error %v", err)
		}
		if stdout.String() != in+"end" || stderr.String() != "cat -" {
			t.Errorf("%d bytes of stdout, stderr %q", stdout.Len(), &stderr)
		}
	})
}

type terminal chan remotecommand.TerminalSize

func (c terminal) Next() *remotecommand.TerminalSize {
	size, ok := <-c
	if !ok {
		return nil
	}
	return &size
}

// Attach, with a terminal whose size changes.
func TestAttach(t *testing.T) {
	kubelet, pod := newKubelet(t)
	kubelet.Exec = func(c *streamtest.Command) error {
		if !strings.HasPrefix(c.Request.URL.Path, "/attach/") {
			return errors.New("no attach")
		}
		size := make([]byte, len(`{"Width":80,"Height":24}`))
		if _, err := io.ReadFull(c.Resize, size); err != nil {
			return err
		}
		_, _ = c.Stdout.Write(size)
		_, err := io.Copy(c.Stdout, c.Stdin)
		return err
	}
	u := subresource(t, pod, "attach", &corev1.PodAttachOptions{Stdin: true, Stdout: true, TTY: true})
	eachTransport(t, func(t *testing.T, transport string) {
		sizes := make(terminal, 1)
		defer close(sizes)
		sizes <- remotecommand.TerminalSize{Width: 80, Height: 24}
		var stdout bytes.Buffer
		err := newExecutor(t, transport, adminConfig(t), u).StreamWithContext(within(t, streamsLimit), remotecommand.StreamOptions{
			Stdin: strings.NewReader("typed"), Stdout: &stdout, Tty: true, TerminalSizeQueue: sizes,
		})
		if err != nil || stdout.String() != `{"Width":80,"Height":24}typed` {
			t.Errorf("%v, stdout %q", err, &stdout)
		}
	})
}

// What the API server and the kubelet say is in the error.
func TestExecErrors(t *testing.T) {
	kubelet, pod := newKubelet(t)
	kubelet.Exec = func(*streamtest.Command) error { return errors.New("container is not running") }
	eachTransport(t, func(t *testing.T, transport string) {
		u := subresource(t, pod, "exec", &corev1.PodExecOptions{Command: []string{"cat"}, Stdout: true})
		err := newExecutor(t, transport, adminConfig(t), u).StreamWithContext(within(t, streamsLimit), remotecommand.StreamOptions{Stdout: io.Discard})
		wantError(t, err, "container is not running")

		other := pod.DeepCopy()
		other.Name = "missing"
		u = subresource(t, other, "exec", &corev1.PodExecOptions{Command: []string{"cat"}, Stdout: true})
		err = newExecutor(t, transport, adminConfig(t), u).StreamWithContext(within(t, streamsLimit), remotecommand.StreamOptions{Stdout: io.Discard})
		wantError(t, err, `pods "missing" not found`)
		if !apierrors.IsNotFound(err) {
			t.Errorf("%v is no NotFound", err)
		}

		config := adminConfig(t)
		config.Impersonate.UserName = "jane"
		u = subresource(t, pod, "exec", &corev1.PodExecOptions{Command: []string{"cat"}, Stdout: true})
		err = newExecutor(t, transport, config, u).StreamWithContext(within(t, streamsLimit), remotecommand.StreamOptions{Stdout: io.Discard})
		wantError(t, err, `User "jane" cannot`)
		if !apierrors.IsForbidden(err) {
			t.Errorf("%v is no Forbidden", err)
		}
	})
}

// A connection to the API server that breaks is an error, and so is a context that ends.
func TestExecInterrupted(t *testing.T) {
	kubelet, pod := newKubelet(t)
	begun := make(chan struct{}, 10)
	kubelet.Exec = func(c *streamtest.Command) error {
		begun <- struct{}{}
		_, err := io.Copy(io.Discard, c.Stdin)
		return err
	}
	u := subresource(t, pod, "exec", &corev1.PodExecOptions{Command: []string{"cat"}, Stdin: true, Stdout: true})
	eachTransport(t, func(t *testing.T, transport string) {
		var mu sync.Mutex
		var last net.Conn
		config := adminConfig(t)
		config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			mu.Lock()
			defer mu.Unlock()
			last = conn
			return conn, err
		}
		stdin, end := io.Pipe()
		defer end.Close()
		go func() {
			<-begun
			mu.Lock()
			defer mu.Unlock()
			_ = last.Close()
		}()
		err := newExecutor(t, transport, config, u).StreamWithContext(within(t, streamsLimit), remotecommand.StreamOptions{Stdin: stdin, Stdout: io.Discard})
		wantError(t, err, "connection lost")

		ctx, cancel := context.WithCancel(within(t, streamsLimit))
		go func() { <-begun; cancel() }()
		err = newExecutor(t, transport, config, u).StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: stdin, Stdout: io.Discard})
		if err != context.Canceled {
			t.Errorf("error %v", err)
		}
	})
}

// newPortDialer returns a dialer for port-forward.
func newPortDialer(t *testing.T, transport string, config *rest.Config, u *url.URL) httpstream.Dialer {
	t.Helper()
	if transport == "websocket" {
		dialer, err := portforward.NewSPDYOverWebsocketDialerForStreaming(u, config)
		if err != nil {
			t.Fatal(err)
		}
		return dialer
	}
	rt, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: rt}, http.MethodPost, u)
}

// portForwarding is a PortForwarder that runs.
type portForwarding struct {
	ports  []portforward.ForwardedPort
	errOut bytes.Buffer // to be read after wait
	stop   context.CancelFunc
	ended  chan error
}

// startForwarding forwards ports until the test ends, and returns when they can be used.
func startForwarding(t *testing.T, dialer httpstream.Dialer, ports ...string) *portForwarding {
	t.Helper()
	f := &portForwarding{ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(within(t, streamsLimit))
	f.stop = cancel
	t.Cleanup(cancel)
	ready := make(chan struct{})
	pf, err := portforward.NewOnAddressesForStreamingWithContext(ctx, dialer, []string{"127.0.0.1"}, ports, ready, nil, &f.errOut)
	if err != nil {
		t.Fatal(err)
	}
	go func() { f.ended <- pf.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-f.ended:
		t.Fatal(err)
	}
	if f.ports, err = pf.GetPorts(); err != nil {
		t.Fatal(err)
	}
	return f
}

// connect connects to a port, by its index.
func (f *portForwarding) connect(t *testing.T, i int) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(f.ports[i].Local))))
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(streamsLimit))
	return conn.(*net.TCPConn)
}

// wait returns what ForwardPorts returns.
func (f *portForwarding) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-f.ended:
		return err
	case <-time.After(streamsLimit):
		t.Fatal("ForwardPorts did not return")
		return nil
	}
}

// Ports of a pod are forwarded: megabytes both ways, several connections, half-closed ones, and what the kubelet says.
func TestPortForward(t *testing.T) {
	kubelet, pod := newKubelet(t)
	kubelet.Forward = func(port int, data io.ReadWriteCloser) error {
		if port != 80 {
			return errors.New("nothing listens on this port")
		}
		_, err := io.Copy(data, struct{ io.Reader }{data})
		return err
	}
	u := subresource(t, pod, "portforward", nil)
	eachTransport(t, func(t *testing.T, transport string) {
		f := startForwarding(t, newPortDialer(t, transport, adminConfig(t), u), ":80", ":81")
		var all sync.WaitGroup
		for range 3 {
			conn := f.connect(t, 0)
			all.Go(func() {
				defer conn.Close()
				in := bytes.Repeat([]byte("x"), 2<<20)
				go func() { _, _ = conn.Write(in); _ = conn.CloseWrite() }()
				if out, err := io.ReadAll(conn); err != nil || len(out) != len(in) {
					t.Errorf("%v, %d bytes", err, len(out))
				}
			})
		}
		all.Wait()

		bad := f.connect(t, 1)
		defer bad.Close()
		_, _ = io.Copy(io.Discard, bad)
		err := f.wait(t)
		if !errors.Is(err, portforward.ErrLostConnectionToPod) {
			t.Errorf("error %v", err)
		}
		wantError(t, err, "nothing listens on this port")
		if !strings.Contains(f.errOut.String(), "nothing listens on this port") {
			t.Errorf("output %q", &f.errOut)
		}
	})
}
