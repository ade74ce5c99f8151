package portforward

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	//lint:ignore SA1019 these types are in signatures of client-go
	apistream "k8s.io/apimachinery/pkg/util/httpstream"
)

// forwarding is the connection of a PortForwarder, and the clients that use it.
type forwarding struct {
	pf      *PortForwarder
	conn    apistream.Connection
	clients sync.WaitGroup
	quit    chan struct{} // closed when all clients have to end

	mu       sync.Mutex
	requests int   // so far
	failure  error // the first of the server
}

// accept accepts clients until the listener is closed.
func (f *forwarding) accept(l listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				f.pf.print(f.pf.errOut, "Error accepting connection on port %d: %v\n", l.port.Local, err)
			}
			return
		}
		f.clients.Go(func() { f.forward(client, l.port) })
	}
}

// forward forwards one connection.
func (f *forwarding) forward(client net.Conn, port ForwardedPort) {
	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-f.quit:
		case <-ended:
		}
		_ = client.Close()
	})
	defer watching.Wait()
	defer close(ended)
	f.pf.print(f.pf.out, "Handling connection for %d\n", port.Local)
	err := f.serve(client, port)
	if err == nil {
		return
	}
	select {
	case <-f.quit: // it is a consequence
		return
	default:
	}
	f.pf.print(f.pf.errOut, "An error occurred forwarding %d -> %d: %v\n", port.Local, port.Remote, err)
	if message := serverError(""); errors.As(err, &message) {
		f.failed(message)
	}
}

// serverError is a message of the server's on an error stream.
type serverError string

func (e serverError) Error() string { return string(e) }

// maxMessage is the size of the largest message of the server that is read.
const maxMessage = 64 << 10

// serve copies between a client and a pair of streams. It returns when the server has ended the streams, or the client has gone. An error
// of the server ends the whole connection.
func (f *forwarding) serve(client net.Conn, port ForwardedPort) error {
	messages, data, err := f.streams(port)
	if err != nil {
		return err
	}
	defer f.conn.RemoveStreams(messages, data)

	var copying sync.WaitGroup
	defer copying.Wait()
	// After Reset both copies end: one reads from a stream that has ended, the other from a client that was closed.
	defer func() { _, _, _ = messages.Reset(), data.Reset(), client.Close() }()

	gone := make(chan error, 1) // the client has gone, or the connection to the server
	leave := func(err error) {
		select {
		case gone <- err:
		default:
		}
	}
	received := make(chan struct{})
	copying.Go(func() {
		_, err := io.Copy(plainWriter{data}, plainReader{client})
		if err != nil {
			leave(err)
			return
		}
		_ = data.Close() // the client has sent all
	})
	copying.Go(func() {
		defer close(received)
		_, err := io.Copy(plainWriter{client}, plainReader{data})
		if half, ok := client.(interface{ CloseWrite() error }); ok && err == nil {
			_ = half.CloseWrite()
		}
		if err != nil {
			leave(err)
		}
	})
	answered := make(chan error, 1)
	copying.Go(func() {
		message, err := io.ReadAll(io.LimitReader(messages, maxMessage))
		if len(message) > 0 {
			err = serverError(strings.TrimSpace(string(message)))
		}
		answered <- err
	})

	select {
	case err := <-answered: // the server has ended both directions
		if err != nil {
			return err
		}
	case <-gone: // clients may end whenever they like
		return nil
	}
	select {
	case <-received:
	case <-gone:
	}
	return nil
}

// streams creates the streams for one connection to the pod.
func (f *forwarding) streams(port ForwardedPort) (messages, data apistream.Stream, err error) {
	f.mu.Lock()
	id := f.requests
	f.requests++
	f.mu.Unlock()
	headers := http.Header{}
	headers.Set(corev1.PortHeader, strconv.Itoa(int(port.Remote)))
	headers.Set(corev1.PortForwardRequestIDHeader, strconv.Itoa(id))
	headers.Set(corev1.StreamType, corev1.StreamTypeError)
	if messages, err = f.conn.CreateStream(headers); err != nil {
		return nil, nil, fmt.Errorf("error creating error stream: %w", err)
	}
	_ = messages.Close() // nothing is sent there
	headers = headers.Clone()
	headers.Set(corev1.StreamType, corev1.StreamTypeData)
	if data, err = f.conn.CreateStream(headers); err != nil {
		_ = messages.Reset()
		f.conn.RemoveStreams(messages)
		return nil, nil, fmt.Errorf("error creating forwarding stream: %w", err)
	}
	return messages, data, nil
}

// failed notes an error of the server and ends the connection.
func (f *forwarding) failed(err error) {
	f.mu.Lock()
	if f.failure == nil {
		f.failure = err
	}
	f.mu.Unlock()
	_ = f.conn.Close()
}

// reason returns why the connection has ended. lost is what the connection says.
func (f *forwarding) reason(lost error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.failure != nil:
		return fmt.Errorf("%w: %w", ErrLostConnectionToPod, f.failure)
	case lost != nil:
		return fmt.Errorf("%w: %w", ErrLostConnectionToPod, lost)
	}
	return ErrLostConnectionToPod
}

// plainReader and plainWriter hide WriteTo and ReadFrom.
type plainReader struct{ io.Reader }

type plainWriter struct{ io.Writer }
