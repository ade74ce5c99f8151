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

// Controller is implemented by *controller.Controller.
type Controller interface {
	Name() string
	Run(ctx context.Context) error
	Abort(cause error)
	State() controller.State
	ExplainString(key string) (controller.Explanation, error)
}

// Factory is an informer factory, such as an informers.SharedInformerFactory. If it has the method HealthCheck of an
// *informers.Factory, that is part of /readyz.
type Factory interface {
	StartWithContext(ctx context.Context)
	Shutdown()
}

// Group is implemented by *shardgroup.Group.
type Group interface {
	Run(ctx context.Context) error
	HealthCheck(*http.Request) error
}

// Config configures Run. Only Controllers is required.
type Config struct {
	Options
	// RESTConfig is for the Lease of --leader-elect.
	RESTConfig *rest.Config
	// Factories are started before the controllers, and stopped after them.
	Factories []Factory
	// Informers are informers that do not belong to a factory. They are started and stopped with the factories.
	Informers   []cache.SharedIndexInformer
	Controllers []Controller
	// Group, if not nil, is joined before the controllers run, and left before they stop: all replicas work, each in the shards
	// that it owns. It is also the Owner of controllers, and the source of informers; see package shardgroup. It takes the
	// place of --leader-elect.
	Group Group

	// Health and Ready are additional checks for /healthz and /readyz, by name.
	Health, Ready map[string]func() error
	// MetricsHandler serves /metrics: promhttp.HandlerFor with the registry that package metrics was given.
	MetricsHandler http.Handler
	// Console is a live page, served below /debug/vedette/ at HealthProbeBindAddress: the result of console.Handler.
	// The page itself controls access. If it has the method Close, that is called when the program stops, so that
	// viewers do not keep connections open. Nil means no page.
	Console http.Handler
	// Gate, if not nil, rejects writes of clients created with it (rest.Config.Wrap) while this replica is not the
	// leader. Without leader election it is open while Run runs. Requests made with the context of a reconcile need no
	// gate: they are rejected after the end of the term in any case.
	Gate *fence.Gate
	// LeaderMetrics receives leadership changes.
	LeaderMetrics leaderelection.MetricsProvider
	// KeepSignals leaves SIGINT and SIGTERM to the program; only the end of the context stops Run then. It is required
	// in a testing/synctest bubble, which signals cannot enter.
	KeepSignals bool
	// Logger may be nil.
	Logger *slog.Logger
}

func (c *Config) validate() error {
	if err := c.Options.validate(); err != nil {
		return err
	}
	if len(c.Controllers) == 0 {
		return fmt.Errorf("runner: Config.Controllers is empty")
	}
	names := make(map[string]bool)
	for i, one := range c.Controllers {
		if one == nil {
			return fmt.Errorf("runner: Config.Controllers[%d] is nil", i)
		}
		if names[one.Name()] {
			return fmt.Errorf("runner: Config.Controllers has two entries with the name %q", one.Name())
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
	if c.LeaderElect && c.Group != nil {
		return fmt.Errorf("runner: Config.Group is set: the replicas of a group all work, so --leader-elect must not be set")
	}
	if c.LeaderElect && c.RESTConfig == nil {
		return fmt.Errorf("runner: Config.RESTConfig is nil; --leader-elect needs it")
	}
	if isAddress(c.MetricsBindAddress) && c.MetricsHandler == nil {
		return fmt.Errorf("runner: Config.MetricsHandler is nil, but MetricsBindAddress is %q", c.MetricsBindAddress)
	}
	if c.Console != nil && !isAddress(c.HealthProbeBindAddress) {
		return fmt.Errorf("runner: Config.Console is set, but HealthProbeBindAddress is empty")
	}
	return nil
}
