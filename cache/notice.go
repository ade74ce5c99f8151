package cache

import (
	"sync/atomic"
	"time"
)

// change is what a notice tells of.
type change uint8

const (
	added change = iota
	updated
	deleted
	// recreated is only in a backlog: the object that the handler knows is gone, and another has its name.
	recreated
	// lost tells that a partition is there no more, and nothing about the objects that were in it.
	lost
	// vacant is only in a backlog: a place whose notice was left out.
	vacant
)

// notice is one change as handlers are told of it. It is shared by all listeners, and never changes.
type notice struct {
	key string
	// old is the state before; of a deletion the last one, in a DeletedFinalStateUnknown if nobody saw it.
	old any
	// new is the state afterwards, nil after a deletion.
	new any

	what change
	// initial says that an added object is of the first list.
	initial bool
	// sync says that nothing changed. Only those listeners hear of it whose turn it is.
	sync bool
	// home is the partition that the object is in, or was; nil if there are none.
	home *partition
}

// call tells a handler of the notice.
func (n *notice) call(h ResourceEventHandler) {
	if n.home != nil {
		if p, ok := h.(noticeTaker); ok {
			p.take(n)
			return
		}
	}
	n.plainCall(h)
}

// noticeTaker is a handler that wants to know of partitions.
type noticeTaker interface {
	take(n *notice)
}

func (n *notice) plainCall(h ResourceEventHandler) {
	if lazy, ok := h.(LazyEventHandler); ok {
		n.lazyCall(lazy)
		return
	}
	switch n.what {
	case added:
		h.OnAdd(show(n.new), n.initial)
	case updated:
		n.callUpdate(h)
	case deleted:
		h.OnDelete(show(n.old))
	case recreated:
		h.OnDelete(show(n.old))
		h.OnAdd(show(n.new), false)
	}
}

// callUpdate tells of an update. What has not changed is one object, also if it is packed.
func (n *notice) callUpdate(h ResourceEventHandler) {
	obj, old := show(n.new), n.old
	if p, ok := old.(*packed); ok && p == n.new {
		h.OnUpdate(obj, obj)
		return
	}
	h.OnUpdate(show(old), obj)
}

// weightOf is what notices weigh that wait for a handler: one for each that holds a state of an object that is no longer
// in the store. Of an object that was added the store has the state, or else its deletion is among the notices.
func weightOf(notices []notice) (weight uint64) {
	for i := range notices {
		if notices[i].what != added {
			weight++
		}
	}
	return weight
}

// page is a part of the log: the notices of one batch, which all listeners read in the same memory. A page that all have
// read is garbage.
type page struct {
	notices []notice
	// first is the number of the first notice since the log was begun, and at when the page was written.
	first uint64
	at    time.Time
	// weight is the weight of the notices up to the end of the page, since the log was begun.
	weight uint64
	// audience is who should read it; nil means everyone.
	audience []*listener
	next     atomic.Pointer[page]
}

// end is the number of the first notice after the page.
func (p *page) end() uint64 { return p.first + uint64(len(p.notices)) }

func (p *page) isFor(l *listener) bool {
	if p.audience == nil {
		return true
	}
	for _, a := range p.audience {
		if a == l {
			return true
		}
	}
	return false
}
