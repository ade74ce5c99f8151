package controller

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"

	"vedette.dev/cache"
	"vedette.dev/workqueue"
)

// Config says what a controller does. Name and Reconcile are needed; the rest has a zero value that works.
type Config[K comparable] struct {
	// Name is the name in logs, metrics and explanations.
	Name string
	// Reconcile brings the world to where the key says it should be. It is called for one key by one worker at a time.
	//
	//   - An error means that it is called again, after a back-off that grows from failure to failure; one that is marked
	//     Terminal, that it is called again when something happens to the key.
	//   - A panic counts as an error: see OnPanic.
	//   - Its context ends with Timeout, and some time after the controller was told to stop: see StopTimeout.
	Reconcile func(ctx context.Context, key K) (Result, error)
	// Sources bring the keys. Their informers are run by somebody else, such as a factory.
	Sources []Source[K]
	// Workers is how many keys are reconciled at the same time. Zero means 1.
	Workers int

	// Timeout is how long one reconcile may take. Zero means as long as it likes.
	Timeout time.Duration
	// SyncTimeout is how long the sources may take to bring what is there at the start. Zero means two minutes, less than zero
	// for ever.
	SyncTimeout time.Duration
	// StopTimeout is how long the reconciles that are under way may go on after the stop, before their context ends. Zero means
	// 20 s; less than zero ends it at once. Run waits for 5 s more for those that do not return then: see ErrStopTimeout. Together
	// that is 25 s of the 30 s that Kubernetes gives a pod.
	StopTimeout time.Duration
	// OnPanic is what becomes of a panic of Reconcile.
	OnPanic PanicPolicy

	// RateLimiter is the back-off after failures. Nil means 5 ms, and twice as much from failure to failure, up to 1000 s.
	RateLimiter workqueue.TypedRateLimiter[K]
	// Tenant names whom a key belongs to, such as its namespace. Tenants take turns, so that one with many keys does not keep
	// the others waiting. Nil means that all belong to one.
	Tenant func(key K) string
	// Queue is used in place of a fair queue made of the two above. It is shut down with the controller.
	Queue workqueue.TypedRateLimitingInterface[K]

	// Records is how many bytes Explain may take for its records, at most, and not less than 64 KiB. They grow with the number of
	// objects, to 64 bytes for each. Zero means 16 MB, less than zero no records.
	Records int
	// ParseKey reads a key that somebody wrote, for ExplainString. It may be nil for keys that are an ObjectName or a string.
	ParseKey func(text string) (K, error)

	// Metrics, QueueMetrics and Logger may be nil.
	Metrics      Metrics
	QueueMetrics workqueue.MetricsProvider
	Logger       *slog.Logger
}

// PanicPolicy is what becomes of a panic of a reconciler. It is counted in any case, and logged with its stack.
type PanicPolicy int

const (
	// PanicRetry treats it as an error: the key is tried again, after a back-off.
	PanicRetry PanicPolicy = iota
	// PanicFatal lets it end the process.
	PanicFatal
)

const (
	defaultSyncTimeout = 2 * time.Minute
	defaultStopTimeout = 20 * time.Second
	defaultRecords     = 16 << 20
	// maxSources is what the records can tell apart.
	maxSources = math.MaxUint8
)

func (c *Config[K]) validate() error {
	switch {
	case c.Name == "":
		return fmt.Errorf("controller: Config.Name is empty; it is needed for logs and metrics")
	case c.Reconcile == nil:
		return fmt.Errorf("controller: Config.Reconcile of %s is nil", c.Name)
	case c.Workers < 0:
		return fmt.Errorf("controller: Config.Workers of %s is %d; it must not be negative", c.Name, c.Workers)
	case c.Timeout < 0:
		return fmt.Errorf("controller: Config.Timeout of %s is %v; it must not be negative", c.Name, c.Timeout)
	case len(c.Sources) > maxSources:
		return fmt.Errorf("controller: Config.Sources of %s has %d entries, and may have %d", c.Name, len(c.Sources), maxSources)
	case c.OnPanic != PanicRetry && c.OnPanic != PanicFatal:
		return fmt.Errorf("controller: Config.OnPanic of %s is %d, which is no PanicPolicy", c.Name, c.OnPanic)
	case c.Records > 0 && c.Records < minRecords:
		return fmt.Errorf("controller: Config.Records of %s is %d; it must be at least %d, or negative for none", c.Name, c.Records, minRecords)
	case c.Queue != nil && c.QueueMetrics != nil:
		return fmt.Errorf("controller: Config.Queue of %s is set, and QueueMetrics too, which it would ignore", c.Name)
	case c.Queue != nil && (c.RateLimiter != nil || c.Tenant != nil):
		return fmt.Errorf("controller: Config.Queue of %s is set, and RateLimiter or Tenant too, which it would ignore", c.Name)
	}
	for i, s := range c.Sources {
		if s == nil {
			return fmt.Errorf("controller: Config.Sources[%d] of %s is nil", i, c.Name)
		}
	}
	return nil
}

// fill puts in what the zero values mean.
func (c *Config[K]) fill() error {
	if c.Workers == 0 {
		c.Workers = 1
	}
	if c.SyncTimeout == 0 {
		c.SyncTimeout = defaultSyncTimeout
	}
	if c.StopTimeout == 0 {
		c.StopTimeout = defaultStopTimeout
	}
	if c.Records == 0 {
		c.Records = defaultRecords
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Logger = c.Logger.With("controller", c.Name)
	if c.ParseKey == nil {
		c.ParseKey = keyParser[K](c.Name)
	}
	if c.Queue != nil {
		return nil
	}
	queue, err := workqueue.NewFair(workqueue.FairConfig[K]{
		Name:            c.Name,
		MetricsProvider: c.QueueMetrics,
		RateLimiter:     c.RateLimiter,
		Tenant:          c.Tenant,
	})
	c.Queue = queue
	return err
}

// keyParser reads the keys of which the form is known.
func keyParser[K comparable](name string) func(string) (K, error) {
	var parse any
	switch any(*new(K)).(type) {
	case cache.ObjectName:
		parse = cache.ParseObjectName
	case string:
		parse = func(text string) (string, error) { return text, nil }
	default:
		return func(text string) (K, error) {
			var none K
			return none, fmt.Errorf("controller %s cannot read keys of type %T; set Config.ParseKey", name, none)
		}
	}
	return parse.(func(string) (K, error))
}
