package demo

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"vedette.dev/apitest"
	"vedette.dev/rest"
)

// Config configures a demo. Server or REST is required; the zero values of the other fields work.
type Config struct {
	// Server is an API server in this process, which the demo uses exclusively.
	Server *apitest.Server
	// REST is a cluster, which is used in place of Server, in a namespace of its own.
	REST *rest.Config

	// Objects is the initial number of objects: pods, or config maps in a cluster. Rate is the number of changes per
	// second. Zero means 1,000 and 100, and 100 and 10 in a cluster.
	Objects int
	Rate    float64
	// Shards is the number of shards of the sharding informer. Zero means 4.
	Shards int
	// Pause is the time between two faults. Zero means six seconds, a negative value no faults.
	Pause time.Duration

	// Tell is called with a message for each event. It may be nil.
	Tell func(text string)
	// Progress is called with the progress of the preparation. It may be nil.
	Progress func(done, total int, what string)
}

func (c *Config) validate() error {
	switch {
	case c.Server == nil && c.REST == nil:
		return errors.New("demo: Config.Server and Config.REST are nil; one of them is needed")
	case c.Objects < 0:
		return fmt.Errorf("demo: Config.Objects is %d; it must not be negative", c.Objects)
	case c.Rate < 0:
		return fmt.Errorf("demo: Config.Rate is %v; it must not be negative", c.Rate)
	case c.Shards < 0:
		return fmt.Errorf("demo: Config.Shards is %d; it must not be negative", c.Shards)
	}
	return nil
}

// fill sets the defaults.
func (c *Config) fill() {
	objects, rate := 1000, 100.0
	if c.Server == nil {
		objects, rate = 100, 10 // others may use the cluster
	}
	c.Objects, c.Rate = cmp.Or(c.Objects, objects), cmp.Or(c.Rate, rate)
	c.Shards, c.Pause = cmp.Or(c.Shards, 4), cmp.Or(c.Pause, 6*time.Second)
	if c.Tell == nil {
		c.Tell = func(string) {}
	}
	if c.Progress == nil {
		c.Progress = func(int, int, string) {}
	}
}

// sites returns the number of sites.
func (c *Config) sites() int { return min(50, max(5, c.Objects/50)) }
