package flowcontrol

import (
	"fmt"
	"math"
)

// verify checks the invariants of the limiter's parts.
func (a *Adaptive) verify() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	l, b := &a.law, &a.bucket
	switch {
	case l.rate < l.config.MinRate || math.IsNaN(l.rate):
		return fmt.Errorf("the rate %v is below the floor %v", l.rate, l.config.MinRate)
	case l.rate > l.config.MaxRate:
		return fmt.Errorf("the rate %v is above the ceiling %v", l.rate, l.config.MaxRate)
	case l.from > l.rate:
		return fmt.Errorf("the rate %v is below %v, where its climb began", l.rate, l.from)
	case b.have < 0 || b.have > b.burst || math.IsNaN(b.have):
		return fmt.Errorf("the bucket holds %v of %v", b.have, b.burst)
	case a.waiting < 0:
		return fmt.Errorf("%d callers wait", a.waiting)
	}
	return nil
}
