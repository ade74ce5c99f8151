//go:build perturb

package perturb

import (
	"math/rand/v2"
	"time"
)

// Point sleeps for up to 40 ms, one time in four.
func Point() {
	if rand.IntN(4) == 0 {
		time.Sleep(time.Duration(1+rand.IntN(40)) * time.Millisecond)
	}
}
