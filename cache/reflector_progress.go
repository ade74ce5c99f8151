package cache

import (
	"reflect"
	"sync/atomic"
	"time"
)

// progress tells a guard whether something still comes.
type progress struct {
	n    atomic.Int64
	over bool
}

// made notes that something came, unless it was over.
func (p *progress) made() {
	if !p.over {
		p.n.Add(1)
	}
}

// live notes a sign that what is waited for is over: what comes from now on is no progress.
func (p *progress) live() { p.over = true }

// patienceSteps is how often a guard looks before it loses patience.
const patienceSteps = 7

// patience is the look that ends a stream that has brought nothing for about as long as limit: not less than six
// sevenths of it, and not more.
func (p *progress) patience(limit time.Duration, cause error) look {
	seen, idle := int64(0), -1 // the first look is at the beginning
	return func(time.Duration) (time.Duration, error) {
		if n := p.n.Load(); n != seen {
			seen, idle = n, 0
		} else {
			idle++
		}
		if idle == patienceSteps-1 {
			return 0, cause
		}
		return limit / patienceSteps, nil
	}
}

// isNil also knows a nil pointer in an interface.
func isNil(obj any) bool {
	if obj == nil {
		return true
	}
	v := reflect.ValueOf(obj)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
