package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"vedette.dev/cache"
	"vedette.dev/workqueue"
)

// Config configures a controller. Name and Reconcile are required; the zero values of all other fields work.
type Config[K comparable] struct {
	// Name identifies the controller in logs, metrics and explanations.
	Name string
	// Reconcile brings the actual state of a key to its desired state. A key is reconciled by one worker at a time.
	//
	//   - After an error it is called again, with an exponential backoff per key. After an error marked Terminal it is
	//     called again at the next event of the key.
	//   - A panic counts as an error: see OnPanic.
	//   - Its context ends with Timeout, and some time after the controller was told to stop: see StopTimeout.
	Reconcile func(ctx context.Context, key K) (Result, error)
	// Sources enqueue the keys. The controller does not run their informers; a factory or the program does.
	Sources []Source[K]
	// Workers is the number of keys reconciled concurrently. Zero means 1.
	Workers int

	// Owner decides which keys this process reconciles, when several replicas share the work: see package shardgroup. Nil
	// means all.
	Owner Ownership[K]

	// Timeout limits the duration of one reconcile. Zero means no limit.
	Timeout time.Duration
	// SyncTimeout limits how long the sources may take to become ready. Zero means two minutes, a negative value no
	// limit.
	SyncTimeout time.Duration
	// StopTimeout is how long running reconciles may continue after the controller was told to stop, before their
	// context ends. Zero means 20 s; a negative value ends it at once. Run then waits another 5 s for reconciles to
	// return: see ErrStopTimeout. The total of 25 s fits in the 30 s that Kubernetes gives a pod.
	StopTimeout time.Duration
	// OnPanic is what happens when Reconcile panics.
	OnPanic PanicPolicy

	// RateLimiter is the backoff after failures. Nil means 5 ms, doubled with each failure, up to 1000 s.
	RateLimiter workqueue.TypedRateLimiter[K]
	// Tenant returns the tenant that a key belongs to, such as its namespace. Tenants are served in turn, so that one
	// with many keys does not delay the others. Nil means a single tenant.
	Tenant func(key K) string
	// Queue replaces the fair queue that is otherwise made from RateLimiter and Tenant. It is shut down with the
	// controller.
	Queue workqueue.TypedRateLimitingInterface[K]

	// Records is the maximum size in bytes of the records that Explain uses, at least 64 KiB. They grow with the number
	// of objects, to 64 bytes each. Zero means 16 MB, a negative value no records.
	Records int
	// ParseKey parses a key for ExplainString. It may be nil if K is an ObjectName or a string.
	ParseKey func(text string) (K, error)

	// Metrics, QueueMetrics and Logger may be nil.
	Metrics      Metrics
	QueueMetrics workqueue.MetricsProvider
	Logger       *slog.Logger
}

// ErrNotOwner is wrapped by the error of [Ownership.BeginKey] for a key that another process reconciles.
var ErrNotOwner = errors.New("not owned by this process")

// Ownership decides which keys a process reconciles.
type Ownership[K comparable] interface {
	// BeginKey is called before each reconcile. It returns the context for the reconcile, and a function that is called
	// when it has ended. If the error wraps ErrNotOwner, the key is dropped: when it belongs to this process, a source
	// has to enqueue it. Another error counts as one of the reconcile.
	BeginKey(ctx context.Context, key K) (_ context.Context, done func(), err error)
}

// PanicPolicy is what happens when a reconciler panics. Panics are counted and logged with their stack in any case.
type PanicPolicy int

const (
	// PanicRetry treats a panic as an error: the key is retried after a backoff.
	PanicRetry PanicPolicy = iota
	// PanicFatal lets the panic end the process.
	PanicFatal
)

const (
	defaultSyncTimeout = 2 * time.Minute
	defaultStopTimeout = 20 * time.Second
	defaultRecords     = 16 << 20
	// maxSources is limited by the size of the source number in a record.
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
		return fmt.Errorf("controller: Config.Sources of %s has %d entries; at most %d are allowed", c.Name, len(c.Sources), maxSources)
	case c.OnPanic != PanicRetry && c.OnPanic != PanicFatal:
		return fmt.Errorf("controller: Config.OnPanic of %s is %d, not a PanicPolicy", c.Name, c.OnPanic)
	case c.Records > 0 && c.Records < minRecords:
		return fmt.Errorf("controller: Config.Records of %s is %d; it must be at least %d, or negative for none", c.Name, c.Records, minRecords)
	case c.Queue != nil && c.QueueMetrics != nil:
		return fmt.Errorf("controller: Config.Queue of %s cannot be combined with QueueMetrics", c.Name)
	case c.Queue != nil && (c.RateLimiter != nil || c.Tenant != nil):
		return fmt.Errorf("controller: Config.Queue of %s cannot be combined with RateLimiter or Tenant", c.Name)
	}
	for i, s := range c.Sources {
		if s == nil {
			return fmt.Errorf("controller: Config.Sources[%d] of %s is nil", i, c.Name)
		}
	}
	return nil
}

// fill sets the defaults.
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

// keyParser returns the parser of keys whose format is known.
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
			return none, fmt.Errorf("controller %s cannot parse keys of type %T; set Config.ParseKey", name, none)
		}
	}
	return parse.(func(string) (K, error))
}
