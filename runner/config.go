package runner

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/fence"
	"vedette.dev/leaderelection"
	"vedette.dev/rest"
)

// Controller is what is run: a *controller.Controller.
type Controller interface {
	Name() string
	Run(ctx context.Context) error
	Abort(cause error)
	State() controller.State
	ExplainString(key string) (controller.Explanation, error)
}

// Factory has the informers of the controllers: an informers.SharedInformerFactory and its like. If it has the method
// HealthCheck of an *informers.Factory, that is a part of /readyz.
type Factory interface {
	StartWithContext(ctx context.Context)
	Shutdown()
}

// Config is what is run. Only Controllers is needed.
type Config struct {
	Options
	// RESTConfig is for the Lease of --leader-elect.
	RESTConfig *rest.Config
	// Factories are started before the controllers, and stopped after them.
	Factories []Factory
	// Informers are those that belong to no factory. They are started and stopped with the factories.
	Informers   []cache.SharedIndexInformer
	Controllers []Controller

	// Health and Ready are checks to add to /healthz and /readyz, by name.
	Health, Ready map[string]func() error
	// MetricsHandler serves /metrics: promhttp.HandlerFor of a registry that package metrics was given.
	MetricsHandler http.Handler
	// Console is a live page, served below /debug/vedette/ at HealthProbeBindAddress: a *console.Page, which console.Handler makes. The
	// page itself says who may look. If it has the method Close, that is called when the program stops, so that nobody who looks
	// keeps the address open. Nil means that there is none.
	Console http.Handler
	// Gate, if not nil, refuses what is written with clients that were made with it (rest.Config.Wrap) while this replica does not
	// lead. Without leader election it is open while Run runs. Requests that are made with the context of a reconcile need no gate:
	// they are refused when the term is over in any case.
	Gate *fence.Gate
	// LeaderMetrics hears who leads.
	LeaderMetrics leaderelection.MetricsProvider
	// KeepSignals leaves SIGINT and SIGTERM to the program; the end of the context is what stops it then. It is needed in a
	// testing/synctest bubble, which signals cannot enter.
	KeepSignals bool
	// Logger may be nil.
	Logger *slog.Logger
}

func (c *Config) validate() error {
	if err := c.Options.validate(); err != nil {
		return err
	}
	if len(c.Controllers) == 0 {
		return fmt.Errorf("runner: Config.Controllers is empty; there is nothing to run")
	}
	names := make(map[string]bool)
	for i, one := range c.Controllers {
		if one == nil {
			return fmt.Errorf("runner: Config.Controllers[%d] is nil", i)
		}
		if names[one.Name()] {
			return fmt.Errorf("runner: Config.Controllers has two of the name %q", one.Name())
		}
		names[one.Name()] = true
	}
	for i, f := range c.Factories {
		if f == nil {
			return fmt.Errorf("runner: Config.Factories[%d] is nil", i)
		}
	}
	for i, informer := range c.Informers {
		if informer == nil {
			return fmt.Errorf("runner: Config.Informers[%d] is nil", i)
		}
	}
	for name, check := range c.Health {
		if check == nil {
			return fmt.Errorf("runner: Config.Health[%q] is nil", name)
		}
	}
	for name, check := range c.Ready {
		if check == nil {
			return fmt.Errorf("runner: Config.Ready[%q] is nil", name)
		}
	}
	if c.LeaderElect && c.RESTConfig == nil {
		return fmt.Errorf("runner: Config.RESTConfig is nil, and needed for --leader-elect")
	}
	if isAddress(c.MetricsBindAddress) && c.MetricsHandler == nil {
		return fmt.Errorf("runner: Config.MetricsHandler is nil, so that there is nothing to serve at MetricsBindAddress %q", c.MetricsBindAddress)
	}
	if c.Console != nil && !isAddress(c.HealthProbeBindAddress) {
		return fmt.Errorf("runner: Config.Console is set, and there is no HealthProbeBindAddress to serve it at")
	}
	return nil
}
