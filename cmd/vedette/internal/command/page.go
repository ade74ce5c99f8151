package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"vedette.dev/console"
)

// pageFlags are the address and the token of the console.
type pageFlags struct {
	listen    string
	token     string
	noBrowser bool
}

func (f *pageFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "Address of the console; port 0 means a free port")
	flags.StringVar(&f.token, "page-token", "", "Token that the console requires; generated if other machines can reach the console")
	flags.BoolVar(&f.noBrowser, "no-browser", false, "Do not open the console in a browser")
}

// minPageToken is the minimum length of a token of the console.
const minPageToken = 8

func (f *pageFlags) parse() error {
	if _, _, err := net.SplitHostPort(f.listen); err != nil {
		return usagef("--listen is %q, and must be HOST:PORT, such as 127.0.0.1:8080", f.listen)
	}
	if f.token != "" && (len(f.token) < minPageToken || strings.TrimSpace(f.token) != f.token) {
		return usagef("--page-token must have %d characters or more, and no space around them", minPageToken)
	}
	return nil
}

// livePage is a console that is being served.
type livePage struct {
	// url is the address, including the token.
	url     string
	server  *http.Server
	stop    context.CancelFunc
	serving sync.WaitGroup
}

// reserve listens at the address of the console before the console exists.
func (f *pageFlags) reserve() (net.Listener, error) {
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return nil, fmt.Errorf("cannot listen at %s: %s\nChoose another address with --listen, or port 0 for one that is free", f.listen, rootCause(err))
	}
	return listener, nil
}

// open serves the console at an address until close.
func (f *pageFlags) open(listener net.Listener, config console.Config) *livePage {
	config.Token = f.token
	address := listener.Addr().(*net.TCPAddr)
	if config.Token == "" && !address.IP.IsLoopback() {
		config.Token = rand.Text()
	}
	ctx, stop := context.WithCancel(context.Background())
	page := console.Handler(config)
	p := &livePage{url: pageURL(address, config.Token), stop: stop, server: &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second}}
	p.server.RegisterOnShutdown(page.Close)
	p.serving.Go(func() { page.Run(ctx) })
	p.serving.Go(func() { _ = p.server.Serve(listener) }) // ends with close
	return p
}

// pageURL returns the URL of the console for a browser on this machine.
func pageURL(address *net.TCPAddr, token string) string {
	host := address.IP.String()
	if address.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(host, fmt.Sprint(address.Port)), Path: "/"}
	if token != "" {
		u.RawQuery = url.Values{"token": {token}}.Encode()
	}
	return u.String()
}

func (p *livePage) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if p.server.Shutdown(ctx) != nil {
		_ = p.server.Close()
	}
	p.stop()
	p.serving.Wait()
}

// browse opens the console in a browser if there is a terminal. Errors are ignored: the address was printed.
func (f *pageFlags) browse(s *streams, address string) {
	if f.noBrowser || !s.outTerminal {
		return
	}
	name, args, err := browser(runtime.GOOS, os.Getenv)
	if err != nil {
		return
	}
	if path, err := exec.LookPath(name); err == nil {
		// Without streams, so that the browser does not write to the terminal.
		if cmd := exec.Command(path, append(args, address)...); cmd.Start() == nil {
			_ = cmd.Process.Release() // it may last longer than this program
		}
	}
}

// browser returns the program that opens an address. It returns an error if there is no display, because a text browser would take over the terminal.
func browser(system string, getenv func(string) string) (name string, args []string, err error) {
	switch system {
	case "darwin":
		return "open", nil, nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}, nil
	}
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return "", nil, errors.New("no display")
	}
	return "xdg-open", nil, nil
}
