package record

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// Config configures a [Broadcaster]. The zero value works.
type Config struct {
	// Correlator configures how events are combined and filtered, for each sink.
	Correlator CorrelatorOptions

	// Queue is the capacity of each listener's queue. Events are dropped while it is full. 0 means 1,000.
	Queue int
	// Tries is the number of attempts to write an event to a sink that does not answer. 0 means 12.
	Tries int
	// RetryDelay is the time between two attempts; the first delay is a random part of it. 0 means 10 seconds.
	RetryDelay time.Duration
	// WriteTimeout is the timeout of a write to a ContextEventSink. 0 means 30 seconds.
	WriteTimeout time.Duration
	// ShutdownTimeout is how long Shutdown lets the listeners work off their queues. 0 means 5 seconds.
	ShutdownTimeout time.Duration

	// Logger receives events that are dropped, rejected or given up, each at most once in ten seconds. Nil means no
	// logging.
	Logger *slog.Logger
}

const (
	defaultQueue           = 1000
	defaultTries           = 12
	defaultRetryDelay      = 10 * time.Second
	defaultWriteTimeout    = 30 * time.Second
	defaultShutdownTimeout = 5 * time.Second
)

func (c *Config) validate() error {
	for _, field := range []struct {
		name  string
		value int64
	}{
		{"Queue", int64(c.Queue)}, {"Tries", int64(c.Tries)}, {"RetryDelay", int64(c.RetryDelay)},
		{"WriteTimeout", int64(c.WriteTimeout)}, {"ShutdownTimeout", int64(c.ShutdownTimeout)},
	} {
		if field.value < 0 {
			return fmt.Errorf("record: Config.%s is %d; it must not be negative", field.name, field.value)
		}
	}
	return c.Correlator.validate()
}

func (c Config) withDefaults() Config {
	orDefault(&c.Queue, defaultQueue)
	orDefault(&c.Tries, defaultTries)
	orDefault(&c.RetryDelay, defaultRetryDelay)
	orDefault(&c.WriteTimeout, defaultWriteTimeout)
	orDefault(&c.ShutdownTimeout, defaultShutdownTimeout)
	c.Correlator = c.Correlator.withDefaults()
	return c
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// BroadcasterOption is an option of [NewBroadcaster]: [WithContext], [WithCorrelatorOptions] or [WithSleepDuration].
type BroadcasterOption func(*config)

// config is the target of options.
type config struct {
	CorrelatorOptions
	context.Context
	sleepDuration time.Duration
}

// WithContext makes the broadcaster shut down when the context ends, and log to the logr.Logger in the context, if
// there is one.
func WithContext(ctx context.Context) BroadcasterOption {
	return func(c *config) { c.Context = ctx }
}

// WithCorrelatorOptions configures how events are combined and filtered.
func WithCorrelatorOptions(options CorrelatorOptions) BroadcasterOption {
	return func(c *config) { c.CorrelatorOptions = options }
}

// WithSleepDuration sets the time between two attempts to write an event. The default is 10 seconds; 0 means no delay.
func WithSleepDuration(sleepDuration time.Duration) BroadcasterOption {
	// In a Config, 0 is the default, so "no delay" is one nanosecond.
	return func(c *config) { c.sleepDuration = max(sleepDuration, 1) }
}

// NewBroadcaster returns a [Broadcaster] with options. It panics if they are invalid; [New] returns an error.
func NewBroadcaster(opts ...BroadcasterOption) EventBroadcaster {
	var c config
	for _, opt := range opts {
		opt(&c)
	}
	b, err := newBroadcaster(c.Context, Config{
		Correlator: c.CorrelatorOptions,
		RetryDelay: c.sleepDuration,
		Logger:     loggerFrom(c.Context),
	})
	if err != nil {
		panic(err)
	}
	return b
}

// NewBroadcasterForTests is [NewBroadcaster] with [WithSleepDuration].
func NewBroadcasterForTests(sleepDuration time.Duration) EventBroadcaster {
	return NewBroadcaster(WithSleepDuration(sleepDuration))
}

// NewBroadcasterWithCorrelatorOptions is [NewBroadcaster] with [WithCorrelatorOptions].
func NewBroadcasterWithCorrelatorOptions(options CorrelatorOptions) EventBroadcaster {
	return NewBroadcaster(WithCorrelatorOptions(options))
}
