//go:build !linux

package leaderelection

import "time"

// suspended is not known here. See wallWatch.
func suspended() (time.Duration, bool) { return 0, false }
