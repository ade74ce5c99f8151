package podserver

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"vedette.dev/bench/internal/subprocess"
)

// Command is the first argument of a process that serves pods.
const Command = "serve-pods"

// Process is a server that runs.
type Process struct{ *subprocess.Process }

// Start starts this program again, as a server with the given number of pods, and returns when it listens.
func Start(count int) (*Process, error) {
	p, err := subprocess.Start(Command, count)
	if err != nil {
		return nil, err
	}
	return &Process{p}, nil
}

// Serve is the server's process: args are those after [Command]. It writes its URL as a line to out, and serves until in
// ends, which is when the process that started it does.
func Serve(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("%s takes the number of pods, got %d arguments", Command, len(args))
	}
	count, err := strconv.Atoi(args[0])
	if err != nil {
		return fmt.Errorf("%s: %w", Command, err)
	}
	h, err := newHandler(count)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: h.mux(), ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	err = h.cluster.serve("http://"+listener.Addr().String(), in, out)
	_ = server.Close()
	if serveErr := <-ended; !errors.Is(serveErr, http.ErrServerClosed) {
		err = errors.Join(err, serveErr)
	}
	return err
}
