package reconcile

import (
	"fmt"
	"sync/atomic"
)

// crew is what the workers of a side do: next to nothing.
type crew struct {
	// looks has each reconcile look its object up in the store, as real ones do, and note its version. Otherwise it is taken for
	// granted that it would see the newest.
	looks bool
	// heard, if set, is called in each reconcile with the index of the object.
	heard func(index int)
	// now is the phase to which what happens belongs.
	now atomic.Pointer[phase]
}

// reconcile is what a worker does with a key. Get looks an object up in the store of the side.
func (c *crew) reconcile(key string, get func() (obj any, exists bool, err error)) {
	p := c.now.Load()
	index := indexOf(key)
	if index < 0 || index >= len(p.want) {
		p.end(fmt.Errorf("a reconcile of %q, which is not an object", key))
		return
	}
	if c.heard != nil {
		c.heard(index)
	}
	if !c.looks {
		p.saw(uint32(index), p.want[index])
		return
	}
	switch obj, exists, err := get(); {
	case err != nil:
		p.end(err)
	case !exists:
		p.end(fmt.Errorf("%q is not in the store when it is reconciled", key))
	default:
		o := obj.(*object)
		p.saw(o.index, o.number)
	}
}
