package cache

import (
	"reflect"
	"sync/atomic"
	"time"
)

// progress reports to a watchdog whether something still comes.
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

// live notes that what is waited for is over: what comes from now on is not progress.
func (p *progress) live() { p.over = true }

// timeouts is how long a reflector waits for something to come, in steps: the watchdog checks once a step.
type timeouts struct {
	step time.Duration
	// warn is the number of steps without progress after which the state shows cause, fail the number after which the reflector
	// gives up, and failFirst the same if nothing has come at all; 0 means as fail.
	warn, fail, failFirst int
	cause                 error
}

// check returns the check of something that makes progress.
func (p timeouts) check(r *Reflector, progress *progress) check {
	seen, idle := int64(0), -1 // the first check is at the beginning
	return func(time.Duration) (time.Duration, error) {
		if n := progress.n.Load(); n != seen {
			seen, idle = n, 0
			r.reassured(p.cause)
		} else {
			idle++
		}
		if idle == p.warn {
			r.failing(p.cause)
		}
		if idle >= p.fail || seen == 0 && p.failFirst > 0 && idle >= p.failFirst {
			return 0, p.cause
		}
		return p.step, nil
	}
}

// isNil reports whether obj is nil or a nil pointer.
func isNil(obj any) bool {
	if obj == nil {
		return true
	}
	v := reflect.ValueOf(obj)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
