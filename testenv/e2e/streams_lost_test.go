package e2e

import (
	"errors"
	"io"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/internal/streamtest"
	"vedette.dev/portforward"
	"vedette.dev/remotecommand"
)

// lostLimit is how long a call may take to return after the kubelet has died.
const lostLimit = 20 * time.Second

// wantNoLeak fails a test if goroutines remain that were not there when it was called.
func wantNoLeak(t *testing.T) (check func()) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	return func() {
		t.Helper()
		var err error
		for range 20 { // Find waits too
			if err = goleak.Find(before); err == nil {
				return
			}
		}
		t.Error(err)
	}
}

// passWebSockets has the API server pass WebSockets on to the kubelet of a pod. Without it, it translates them: it is a client of the kubelet
// that uses SPDY.
func passWebSockets(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	nodes := newClientset(t).CoreV1().Nodes()
	node, err := nodes.Get(t.Context(), pod.Spec.NodeName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	node.Status.DeclaredFeatures = []string{"ExtendWebSocketsToKubelet"}
	if _, err := nodes.UpdateStatus(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// deaths are the ways in which a kubelet ends a command without a result.
var deaths = map[string]func(kubelet *streamtest.Server, finish chan<- struct{}){
	"reset":  func(kubelet *streamtest.Server, _ chan<- struct{}) { kubelet.Kill() },
	"closed": func(_ *streamtest.Server, finish chan<- struct{}) { finish <- struct{}{} },
}

// A kubelet that dies in the middle of a command ends it, with an error, and no goroutine remains.
func TestExecKubeletLost(t *testing.T) {
	for _, kind := range []string{"exec", "attach"} {
		for _, way := range []string{"spdy", "websocket", "websocket, translated"} {
			for death, kill := range deaths {
				t.Run(kind+"/"+way+"/"+death, func(t *testing.T) {
					kubelet, pod := newKubelet(t)
					if way == "websocket" {
						passWebSockets(t, pod)
					}
					kubelet.NoStatus = true
					finish := make(chan struct{}, 1)
					kubelet.Exec = func(c *streamtest.Command) error {
						_, _ = io.WriteString(c.Stdout, "begun")
						ended := make(chan struct{})
						go func() { defer close(ended); _, _ = io.Copy(io.Discard, c.Stdin) }()
						select {
						case <-finish:
						case <-ended:
						}
						return nil
					}
					u := subresource(t, pod, "exec", &corev1.PodExecOptions{Command: []string{"cat"}, Stdin: true, Stdout: true})
					if kind == "attach" {
						u = subresource(t, pod, "attach", &corev1.PodAttachOptions{Stdin: true, Stdout: true})
					}
					transport := "websocket"
					if way == "spdy" {
						transport = "spdy"
					}
					executor := newExecutor(t, transport, adminConfig(t), u)

					ctx := within(t, streamsLimit)
					check := wantNoLeak(t)
					stdin, endStdin := io.Pipe()
					output, stdout := io.Pipe()
					result := make(chan error, 1)
					go func() {
						result <- executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: stdin, Stdout: stdout})
					}()
					begun := make([]byte, len("begun"))
					if _, err := io.ReadFull(output, begun); err != nil {
						t.Fatal(err)
					}
					kill(kubelet, finish)
					select {
					case err := <-result:
						// An API server that translates is a client of the kubelet, and client-go's takes a lost connection for the end of
						// the command: it reports success.
						if translated := way == "websocket, translated"; translated != (err == nil) {
							t.Errorf("error %v; docs/compatibility.md says which", err)
						}
					case <-time.After(lostLimit):
						t.Fatalf("the call goes on for %v", lostLimit)
					}
					_ = endStdin.Close() // the call of the reader ends; it is the caller's
					check()
				})
			}
		}
	}
}

// A kubelet that dies ends port-forward, with an error, and the connections of its clients. No goroutine remains.
func TestPortForwardKubeletLost(t *testing.T) {
	for _, way := range []string{"spdy", "websocket", "websocket, translated"} {
		t.Run(way, func(t *testing.T) {
			kubelet, pod := newKubelet(t)
			if way == "websocket" {
				passWebSockets(t, pod)
			}
			kubelet.Forward = func(_ int, data io.ReadWriteCloser) error {
				_, err := io.Copy(data, struct{ io.Reader }{data})
				return err
			}
			u := subresource(t, pod, "portforward", nil)
			transport := "websocket"
			if way == "spdy" {
				transport = "spdy"
			}
			dialer := newPortDialer(t, transport, adminConfig(t), u)

			check := wantNoLeak(t)
			f := startForwarding(t, dialer, ":80")
			conn := f.connect(t, 0)
			defer conn.Close()
			echo := make([]byte, len("hello"))
			if _, err := io.WriteString(conn, "hello"); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(conn, echo); err != nil || string(echo) != "hello" {
				t.Fatalf("%q, %v", echo, err)
			}
			kubelet.Kill()
			select {
			case err := <-f.ended:
				if !errors.Is(err, portforward.ErrLostConnectionToPod) {
					t.Errorf("error %v", err)
				}
			case <-time.After(lostLimit):
				t.Fatalf("port-forward goes on for %v", lostLimit)
			}
			if n, err := conn.Read(echo); err == nil {
				t.Errorf("the client can still read: %d bytes", n)
			}
			check()
		})
	}
}
