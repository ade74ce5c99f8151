package e2e

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/internal/streamtest"
	"vedette.dev/remotecommand"
)

// pieces is how many pieces flow in one direction after the other has ended.
const pieces = 5

// The output of a command goes on after its stdin has ended.
func TestExecHalfClosed(t *testing.T) {
	kubelet, pod := newKubelet(t)
	next, over := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(over) })
	kubelet.Exec = func(c *streamtest.Command) error {
		in, err := io.ReadAll(c.Stdin)
		if err != nil || string(in) != "all" {
			return fmt.Errorf("stdin is %q, %w", in, err)
		}
		for i := range pieces {
			if _, err := fmt.Fprintf(c.Stdout, "%d", i); err != nil {
				return err
			}
			select {
			case <-next:
			case <-over:
				return nil
			}
		}
		return nil
	}
	u := subresource(t, pod, "exec", &corev1.PodExecOptions{Command: []string{"wc"}, Stdin: true, Stdout: true})
	eachTransport(t, func(t *testing.T, transport string) {
		executor := newExecutor(t, transport, adminConfig(t), u)
		stdin, input := io.Pipe()
		output, stdout := io.Pipe()
		result := make(chan error, 1)
		ctx := within(t, streamsLimit)
		go func() {
			err := executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: stdin, Stdout: stdout})
			_ = stdout.CloseWithError(err)
			result <- err
		}()
		go func() { _, _ = io.WriteString(input, "all"); _ = input.Close() }()
		for i := range pieces {
			piece := make([]byte, 1)
			// Each piece is written after the one before has arrived.
			if _, err := io.ReadFull(output, piece); err != nil || string(piece) != fmt.Sprint(i) {
				t.Fatalf("piece %d is %q, %v", i, piece, err)
			}
			next <- struct{}{}
		}
		if rest, err := io.ReadAll(output); err != nil || len(rest) > 0 {
			t.Errorf("%q, %v", rest, err)
		}
		if err := <-result; err != nil {
			t.Errorf("error %v", err)
		}
	})
}

// A forwarded connection goes on in one direction after the other has ended, whichever it is.
func TestPortForwardHalfClosed(t *testing.T) {
	const clientEnds, podEnds = 80, 81
	kubelet, pod := newKubelet(t)
	received := make(chan string, 1)
	kubelet.Forward = func(port int, data io.ReadWriteCloser) error {
		if port == clientEnds {
			in, err := io.ReadAll(struct{ io.Reader }{data})
			if err != nil || string(in) != "all" {
				return fmt.Errorf("received %q, %w", in, err)
			}
			return writeRounds(data)
		}
		if err := data.Close(); err != nil {
			return errors.New("the stream cannot be half-closed")
		}
		in, err := io.ReadAll(struct{ io.Reader }{data})
		received <- string(in)
		return err
	}
	u := subresource(t, pod, "portforward", nil)
	eachTransport(t, func(t *testing.T, transport string) {
		f := startForwarding(t, newPortDialer(t, transport, adminConfig(t), u), fmt.Sprintf(":%d", clientEnds), fmt.Sprintf(":%d", podEnds))

		conn := f.connect(t, 0)
		defer conn.Close()
		_, _ = io.WriteString(conn, "all")
		if err := conn.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if out, err := io.ReadAll(conn); err != nil || string(out) != "01234" {
			t.Errorf("after the client has ended: %q, %v", out, err)
		}

		conn = f.connect(t, 1)
		defer conn.Close()
		if out, err := io.ReadAll(conn); err != nil || len(out) > 0 {
			t.Errorf("the pod has sent %q, %v", out, err)
		}
		if err := writeRounds(conn); err != nil {
			t.Errorf("after the pod has ended: %v", err)
		}
		_ = conn.CloseWrite()
		if in := <-received; in != "01234" {
			t.Errorf("after the pod has ended, it received %q", in)
		}

		f.stop()
		if err := f.wait(t); err != nil {
			t.Errorf("error %v", err)
		}
	})
}

// writeRounds writes one piece at a time.
func writeRounds(w io.Writer) error {
	for i := range pieces {
		if _, err := fmt.Fprintf(w, "%d", i); err != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond) // so that pieces do not arrive together
	}
	return nil
}
