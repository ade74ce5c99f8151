package demo

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"vedette.dev/apitest"
	"vedette.dev/rest"
)

// Config says what a demo is to be like. Server or REST is needed; the rest has a zero value that works.
type Config struct {
	// Server is an API server in this process, all of which belongs to the demo.
	Server *apitest.Server
	// REST is a cluster, which is used in the place of Server. The demo keeps to a namespace of its own there.
	REST *rest.Config

	// Objects is how many there are to begin with: pods, or config maps in a cluster. Rate is how many change in a second. Zero means
	// 1,000 and 100, and 100 and 10 in a cluster.
	Objects int
	Rate    float64
	// Shards is how many the sharding informer has. Zero means 4.
	Shards int
	// Pause is how long it is between one trouble and the next. Zero means six seconds, less than zero that there is none.
	Pause time.Duration

	// Tell is told what happens, each time in a sentence. Nil means that nobody wants to know.
	Tell func(text string)
	// Progress is told how far the preparation is. It may be nil.
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

// fill puts in what the zero values mean.
func (c *Config) fill() {
	objects, rate := 1000, 100.0
	if c.Server == nil {
		objects, rate = 100, 10 // somebody else may need the cluster
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

// sites is how many of the operator's own kind there are.
func (c *Config) sites() int { return min(50, max(5, c.Objects/50)) }
