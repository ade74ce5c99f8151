package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// servers are the HTTP servers.
type servers []*server

type server struct {
	listener net.Listener
	http     *http.Server
}

// stopServer is how long running requests may take during shutdown.
const stopServer = 2 * time.Second

// listen opens the addresses. An address for both health checks and metrics is opened once.
func (r *runner) listen() (servers, error) {
	muxes := make(map[string]*http.ServeMux)
	at := func(address string) *http.ServeMux {
		if muxes[address] == nil {
			muxes[address] = http.NewServeMux()
		}
		return muxes[address]
	}
	if isAddress(r.HealthProbeBindAddress) {
		r.serveHealth(at(r.HealthProbeBindAddress))
	}
	if isAddress(r.MetricsBindAddress) {
		at(r.MetricsBindAddress).Handle("/metrics", r.MetricsHandler)
	}
	var all servers
	for address, mux := range muxes {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			all.close()
			return nil, fmt.Errorf("runner: cannot serve health checks or metrics at %q: %w", address, err)
		}
		r.Logger.Info("Serving", "address", listener.Addr().String())
		one := &server{listener, &http.Server{
			Handler:           mux,
			ReadHeaderTimeout: 10 * time.Second,
			ErrorLog:          slog.NewLogLogger(r.Logger.Handler(), slog.LevelWarn),
		}}
		if page, ok := r.Console.(interface{ Close() }); ok && address == r.HealthProbeBindAddress {
			one.http.RegisterOnShutdown(page.Close)
		}
		all = append(all, one)
	}
	return all, nil
}

func (s servers) close() {
	for _, one := range s {
		_ = one.listener.Close()
	}
}

// serve serves until wait is called. A server that ends earlier calls fail.
func (s servers) serve(fail context.CancelCauseFunc) (wait func() error) {
	var serving sync.WaitGroup
	errs := make([]error, len(s))
	for i, one := range s {
		serving.Go(func() {
			if err := one.http.Serve(one.listener); !errors.Is(err, http.ErrServerClosed) {
				errs[i] = fmt.Errorf("runner: serving at %s: %w", one.listener.Addr(), err)
				fail(errs[i])
			}
		})
	}
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), stopServer)
		defer cancel()
		for _, one := range s {
			if one.http.Shutdown(ctx) != nil {
				_ = one.http.Close()
			}
		}
		serving.Wait()
		return errors.Join(errs...)
	}
}
