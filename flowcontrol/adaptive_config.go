package flowcontrol

import (
	"fmt"
	"math"
	"time"
)

// The defaults of AdaptiveConfig.
const (
	defaultMinRate       = 1.0
	defaultBurst         = 10
	defaultDecrease      = 0.5
	defaultRecovery      = 30 * time.Second
	defaultMaxRetryAfter = 5 * time.Minute
)

// AdaptiveConfig configures an [Adaptive] limiter. The zero value sets no limit until the server pushes back.
type AdaptiveConfig struct {
	// MaxRate is the maximum rate, in requests per second. 0 means no maximum.
	MaxRate float64
	// MinRate is the minimum rate, whatever the server answers. 0 means one request per second, or a tenth of MaxRate
	// if that is less.
	MinRate float64
	// InitialRate is the initial rate. 0 means MaxRate.
	InitialRate float64
	// Burst is the number of tokens that an idle limiter accumulates. 0 means 10.
	Burst int
	// Decrease is the factor by which a pushback multiplies the rate, between 0 and 1. 0 means 0.5.
	Decrease float64
	// Recovery is the time from the end of the last pushback until the limiter is back at its maximum. 0 means 30
	// seconds.
	Recovery time.Duration
	// MaxRetryAfter is the longest Retry-After that is respected, so that one bad response cannot stop a client for a
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

// validate checks a config after the defaults were set.
func (c AdaptiveConfig) validate() error {
	bad := func(field string, value any, must string) error {
		return fmt.Errorf("flowcontrol: AdaptiveConfig.%s is %v, and must be %s", field, value, must)
	}
	switch {
	case !(c.MaxRate > 0): // also false for NaN
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
