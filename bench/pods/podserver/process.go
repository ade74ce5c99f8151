package podserver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Command is the first argument of a process that serves pods.
const Command = "serve-pods"

// Process is a server that runs.
type Process struct {
	// URL is where it is.
	URL string

	cmd   *exec.Cmd
	stdin io.Closer
}

// Start starts this program again, as a server with the given number of pods, and returns when it listens. It ends with
// Stop, or with this process, however that ends.
func Start(count int) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, Command, strconv.Itoa(count))
	var errs strings.Builder
	cmd.Stderr = &errs
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	p := &Process{cmd: cmd, stdin: stdin}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("the server did not say where it is: %w: %s", errors.Join(err, p.Stop()), &errs)
	}
	p.URL = strings.TrimSpace(line)
	return p, nil
}

// Stop ends the server and waits for it.
func (p *Process) Stop() error { return errors.Join(p.stdin.Close(), p.cmd.Wait()) }

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
	handler, err := NewHandler(count)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		_ = server.Close()
	}()
	fmt.Fprintf(out, "http://%s\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
