package record

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// Config says how a Broadcaster is to be. The zero value works.
type Config struct {
	// Correlator says what is combined and what is left out, for each sink.
	Correlator CorrelatorOptions

	// Queue is how many events wait for each listener. What comes when it is full is dropped. 0 means 1,000.
	Queue int
	// Tries is how often a write to a sink is tried that fails for want of an answer. 0 means 12.
	Tries int
	// RetryDelay is the time between two tries. The first is a random part of it. 0 means 10 seconds.
	RetryDelay time.Duration
	// WriteTimeout ends a write to a ContextEventSink. 0 means 30 seconds.
	WriteTimeout time.Duration
	// ShutdownTimeout is how long Shutdown lets the listeners go on with what is in their queues. 0 means 5 seconds.
	ShutdownTimeout time.Duration

	// Logger hears about what is dropped, refused and given up, each at most once in ten seconds. Nil means silence.
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

// BroadcasterOption is an option of NewBroadcaster: WithContext, WithCorrelatorOptions or WithSleepDuration.
type BroadcasterOption func(*config)

// config is what options change.
type config struct {
	CorrelatorOptions
	context.Context
	sleepDuration time.Duration
}

// WithContext makes a broadcaster that shuts down when the context ends, and that logs to the logger in the context
// (logr's), if there is one.
func WithContext(ctx context.Context) BroadcasterOption {
	return func(c *config) { c.Context = ctx }
}

// WithCorrelatorOptions says what is combined and what is left out.
func WithCorrelatorOptions(options CorrelatorOptions) BroadcasterOption {
	return func(c *config) { c.CorrelatorOptions = options }
}

// WithSleepDuration is the time between two tries to write an event, 10 seconds without this option. 0 means none.
func WithSleepDuration(sleepDuration time.Duration) BroadcasterOption {
	// In a Config, 0 is the default; so none is as little as can be.
	return func(c *config) { c.sleepDuration = max(sleepDuration, 1) }
}

// NewBroadcaster makes a Broadcaster with options. It panics if they are no good; New returns an error.
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

// NewBroadcasterForTests is NewBroadcaster WithSleepDuration.
func NewBroadcasterForTests(sleepDuration time.Duration) EventBroadcaster {
	return NewBroadcaster(WithSleepDuration(sleepDuration))
}

// NewBroadcasterWithCorrelatorOptions is NewBroadcaster WithCorrelatorOptions.
func NewBroadcasterWithCorrelatorOptions(options CorrelatorOptions) EventBroadcaster {
	return NewBroadcaster(WithCorrelatorOptions(options))
}
