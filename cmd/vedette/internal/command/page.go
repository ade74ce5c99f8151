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

// pageFlags say where a live page is, and who may look at it.
type pageFlags struct {
	listen    string
	token     string
	noBrowser bool
}

func (f *pageFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "Address of the live page; port 0 means one that is free")
	flags.StringVar(&f.token, "page-token", "", "What a viewer of the page has to present; one is made if other machines can reach the page")
	flags.BoolVar(&f.noBrowser, "no-browser", false, "Do not open the page in a browser")
}

// minPageToken is how long the page wants a token to be.
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

// livePage is a page that is served.
type livePage struct {
	// url is where it is, with the token that it asks for.
	url     string
	server  *http.Server
	stop    context.CancelFunc
	serving sync.WaitGroup
}

// reserve opens the address of the page, before there is one.
func (f *pageFlags) reserve() (net.Listener, error) {
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return nil, fmt.Errorf("cannot listen at %s: %s\nChoose another address with --listen, or port 0 for one that is free", f.listen, rootCause(err))
	}
	return listener, nil
}

// open serves a page at an address until close.
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

// pageURL is how a browser on this machine finds the page.
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

// browse opens the page in a browser, if there is somebody to look. That it cannot be opened is no error: the address was printed.
func (f *pageFlags) browse(s *streams, address string) {
	if f.noBrowser || !s.outTerminal {
		return
	}
	name, args, err := browser(runtime.GOOS, os.Getenv)
	if err != nil {
		return
	}
	if path, err := exec.LookPath(name); err == nil {
		// Without streams, so that nothing is written between the lines of this program.
		if cmd := exec.Command(path, append(args, address)...); cmd.Start() == nil {
			_ = cmd.Process.Release() // it may last longer than this program
		}
	}
}

// browser is the program that opens an address. Without a display it would be one that takes over the terminal.
func browser(system string, getenv func(string) string) (name string, args []string, err error) {
	switch system {
	case "darwin":
		return "open", nil, nil
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler"}, nil
	}
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return "", nil, errors.New("there is no display")
	}
	return "xdg-open", nil, nil
}
