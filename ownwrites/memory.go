package ownwrites

import (
	"container/list"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// origin is the state that a write started from.
type origin struct {
	created bool
	base    string // empty if unknown
}

// memory is the history of own writes, by UID, of the objects that were written last. It compares versions for
// equality, never for order.
type memory struct {
	mu    sync.Mutex
	limit int
	m     map[types.UID]*list.Element // of *history
	// order has the most recently written object at the front.
	order *list.List
}

// history is the own writes of one object.
type history struct {
	uid     types.UID
	steps   []step // newest last
	deleted bool
}

// step is one write: it led from version base, or from nothing, to version.
type step struct {
	version string
	from    origin
}

// maxSteps is the number of writes of one object that are remembered. Handlers receive their events in order, so this
// is how many writes to one object a handler may be behind.
const maxSteps = 64

func newMemory(limit int) *memory {
	return &memory{limit: limit, m: map[types.UID]*list.Element{}, order: list.New()}
}

// wrote remembers a write, if it is certain that there is no other write between it and its origin.
func (m *memory) wrote(uid types.UID, version string, from origin) {
	if uid == "" || !from.created && (from.base == "" || from.base == version) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.of(uid)
	h.steps = append(h.steps, step{version, from})
	if len(h.steps) > maxSteps {
		h.steps = append(h.steps[:0], h.steps[1:]...)
	}
}

// deleted remembers a deletion.
func (m *memory) deleted(uid types.UID) {
	if uid == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.of(uid).deleted = true
}

// of returns the history of an object, and marks it as the most recent.
func (m *memory) of(uid types.UID) *history {
	if e, ok := m.m[uid]; ok {
		m.order.MoveToFront(e)
		return e.Value.(*history)
	}
	if m.order.Len() >= m.limit {
		oldest := m.order.Back()
		delete(m.m, oldest.Value.(*history).uid)
		m.order.Remove(oldest)
	}
	h := &history{uid: uid}
	m.m[uid] = m.order.PushFront(h)
	return h
}

// leads reports whether own writes alone lead from one version to another, or from nothing if the first is empty.
func (m *memory) leads(uid types.UID, from, to string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.m[uid]
	if !ok {
		return false
	}
	h := e.Value.(*history)
	at := to
	for range h.steps { // bounded, so that a recorded cycle does not loop forever
		s, ok := h.to(at)
		switch {
		case !ok:
			return false
		case s.from.created:
			return from == ""
		case s.from.base == from:
			return true
		}
		at = s.from.base
	}
	return false
}

// to returns the write that led to a version.
func (h *history) to(version string) (step, bool) {
	for _, s := range slices.Backward(h.steps) {
		if s.version == version {
			return s, true
		}
	}
	return step{}, false
}

func (m *memory) isDeleted(uid types.UID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.m[uid]
	return ok && e.Value.(*history).deleted
}

func (m *memory) size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.order.Len()
}

func (m *memory) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.m)
	m.order.Init()
}
