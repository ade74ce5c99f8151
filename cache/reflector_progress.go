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

// patience says how long one waits for something to come. It is counted in steps: a guard looks once a step.
type patience struct {
	step time.Duration
	// worried is after how many steps without progress others are to know, lost after how many one gives up, and silent the
	// same if nothing has come at all; 0 means as lost.
	worried, lost, silent int
	cause                 error
}

// look is for the guard of something that makes progress.
func (p patience) look(r *Reflector, progress *progress) look {
	seen, idle := int64(0), -1 // the first look is at the beginning
	return func(time.Duration) (time.Duration, error) {
		if n := progress.n.Load(); n != seen {
			seen, idle = n, 0
			r.reassured(p.cause)
		} else {
			idle++
		}
		if idle == p.worried {
			r.failing(p.cause)
		}
		if idle >= p.lost || seen == 0 && p.silent > 0 && idle >= p.silent {
			return 0, p.cause
		}
		return p.step, nil
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
