//go:build !linux

package clock

import "time"

// suspended is unknown on this system. See Estimate.
func suspended() (time.Duration, bool) { return 0, false }
