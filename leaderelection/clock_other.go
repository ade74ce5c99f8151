//go:build !linux

package leaderelection

import "time"

// suspended is unknown on this system. See wallWatch.
func suspended() (time.Duration, bool) { return 0, false }
