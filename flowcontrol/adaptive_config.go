package flowcontrol

import (
	"fmt"
	"math"
	"time"
)

// What a zero field of AdaptiveConfig stands for.
const (
	defaultMinRate       = 1.0
	defaultBurst         = 10
	defaultDecrease      = 0.5
	defaultRecovery      = 30 * time.Second
	defaultMaxRetryAfter = 5 * time.Minute
)

// AdaptiveConfig says how an Adaptive limiter behaves. The zero value sets no limit until the server pushes back.
type AdaptiveConfig struct {
	// MaxRate is the ceiling, in requests a second. 0 means none.
	MaxRate float64
	// MinRate is the floor: however hard the server pushes back, the rate never falls below it. 0 means one request a
	// second, or a tenth of MaxRate if that is less.
	MinRate float64
	// InitialRate is where the limiter starts. 0 means at the ceiling.
	InitialRate float64
	// Burst is how many tokens an idle limiter saves up while it has a rate. 0 means 10.
	Burst int
	// Decrease is the part of the rate that is left after the server pushed back, between 0 and 1. 0 means 0.5.
	Decrease float64
	// Recovery is how long it takes from the end of the last pushback until the limiter is back at its ceiling. 0 means
	// 30 seconds.
	Recovery time.Duration
	// MaxRetryAfter is the longest Retry-After that is obeyed in full, so that one bad answer cannot stop a client for a
	// year. 0 means five minutes.
	MaxRetryAfter time.Duration
}

func (c AdaptiveConfig) withDefaults() AdaptiveConfig {
	if c.MaxRate == 0 {
		c.MaxRate = math.Inf(1)
	}
	if c.MinRate == 0 {
		c.MinRate = min(defaultMinRate, c.MaxRate/10)
	}
	if c.InitialRate == 0 {
		c.InitialRate = c.MaxRate
	}
	if c.Burst == 0 {
		c.Burst = defaultBurst
	}
	if c.Decrease == 0 {
		c.Decrease = defaultDecrease
	}
	if c.Recovery == 0 {
		c.Recovery = defaultRecovery
	}
	if c.MaxRetryAfter == 0 {
		c.MaxRetryAfter = defaultMaxRetryAfter
	}
	return c
}

// validate checks a config whose defaults are filled in.
func (c AdaptiveConfig) validate() error {
	bad := func(field string, value any, must string) error {
		return fmt.Errorf("flowcontrol: AdaptiveConfig.%s is %v, and must be %s", field, value, must)
	}
	switch {
	case !(c.MaxRate > 0): // a NaN is not greater than 0 either
		return bad("MaxRate", c.MaxRate, "greater than 0, or 0 for no ceiling")
	case !(c.MinRate > 0) || math.IsInf(c.MinRate, 1):
		return bad("MinRate", c.MinRate, "a number greater than 0, or 0 for the default")
	case c.MinRate > c.MaxRate:
		return bad("MinRate", c.MinRate, fmt.Sprintf("at most MaxRate, which is %v", c.MaxRate))
	case !(c.InitialRate >= c.MinRate && c.InitialRate <= c.MaxRate):
		return bad("InitialRate", c.InitialRate,
			fmt.Sprintf("between MinRate (%v) and MaxRate (%v), or 0 for MaxRate", c.MinRate, c.MaxRate))
	case c.Burst < 0:
		return bad("Burst", c.Burst, "at least 1, or 0 for the default")
	case !(c.Decrease > 0 && c.Decrease < 1):
		return bad("Decrease", c.Decrease, "between 0 and 1, or 0 for the default")
	case c.Recovery < 0:
		return bad("Recovery", c.Recovery, "positive, or 0 for the default")
	case c.MaxRetryAfter < 0:
		return bad("MaxRetryAfter", c.MaxRetryAfter, "positive, or 0 for the default")
	}
	return nil
}
