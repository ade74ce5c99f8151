package ctrl

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"vedette.dev/console"
)

// ConsolePath is where MountConsole and ServeConsole put the page.
const ConsolePath = "/debug/vedette/"

// Manager is the part of a manager.Manager of controller-runtime that MountConsole needs.
type Manager interface {
	GetCache() ctrlcache.Cache
	AddMetricsServerExtraHandler(path string, handler http.Handler) error
}

// MountConsole puts the live page on the metrics server of a manager whose cache is of this package, under ConsolePath. It shows the
// informers of the cache, the controllers whose queues are of QueueFor, and what the configuration adds. It must be called before the
// manager starts.
//
//	err := bridgectrl.MountConsole(mgr, console.Config{})
//
// The metrics server of a manager listens on all addresses. Without a token, the page answers requests from this machine only. It is an
// error if the manager has no metrics server; use ServeConsole there, or if the metrics server needs credentials.
func MountConsole(mgr Manager, config console.Config) error {
	page, err := pageOf(mgr, config)
	if err != nil {
		return err
	}
	if err := mgr.AddMetricsServerExtraHandler(ConsolePath, page); err != nil {
		return err
	}
	// A manager without a metrics server ignores handlers. One that has it does not take a path twice.
	if mgr.AddMetricsServerExtraHandler(ConsolePath, page) == nil {
		return errors.New("bridge: the manager has no metrics server: set Metrics.BindAddress in the options of the manager, or use ServeConsole")
	}
	return nil
}

// ServeConsole serves the live page of MountConsole on an address of its own, such as "localhost:8082", under ConsolePath. The server runs
// with the cache of the manager, which is on all replicas, and stops with it. It must be called before the manager starts. It listens at
// once, and returns an error if the address cannot be used.
//
// It is for managers without a metrics server, or whose metrics server needs credentials. controller-runtime's pprof server takes no
// handlers of others.
func ServeConsole(mgr interface{ GetCache() ctrlcache.Cache }, address string, config console.Config) error {
	if address == "" || address == "0" {
		return fmt.Errorf("bridge: the address of the console is %q; it must be one such as localhost:8082", address)
	}
	page, err := pageOf(mgr, config)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(ConsolePath, page)
	mux.Handle("GET /{$}", http.RedirectHandler(ConsolePath, http.StatusFound))
	server := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	server.RegisterOnShutdown(page.Close)
	return mgr.GetCache().(*Cache).serve(server)
}

// pageOf returns the page of a manager.
func pageOf(mgr interface{ GetCache() ctrlcache.Cache }, config console.Config) (*console.Page, error) {
	cache, ok := mgr.GetCache().(*Cache)
	if !ok {
		return nil, errors.New("bridge: the cache of the manager is not of this package: set NewCache in the options of the manager")
	}
	config.Informers = append([]console.Informers{cache}, config.Informers...)
	if more := config.MoreControllers; more == nil {
		config.MoreControllers = cache.shownControllers
	} else {
		config.MoreControllers = func() []console.Controller { return slices.Concat(cache.shownControllers(), more()) }
	}
	return console.Handler(config), nil
}
