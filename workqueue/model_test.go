package workqueue

import (
	"slices"
	"time"
)

// kind is one of the queues under test.
type kind int

const (
	fifoKind kind = iota
	lifoKind
	delayingKind
	classicKind
	honestKind
	fairKind
)

const (
	modelKeys = 5
	modelBase = 4 * time.Millisecond
	modelMax  = 50 * time.Millisecond
)

// model is the queue in its simplest form: maps and lists, one goroutine, no cleverness.
type model struct {
	kind              kind
	line              []int // keys that wait, in the order of their arrival
	dirty, processing map[int]bool
	priority          map[int]int
	wakes             map[int]*wake
	windows           map[int]int64 // ends of back-off windows
	failures          map[int]int
	seq               int
	now               int64
	closed, draining  bool
}

// wake is when a key comes up: to be added if pending, else because its window ends.
type wake struct {
	at       int64
	seq      int // among equal times, the first set comes first
	pending  bool
	priority int
}

func newModel(k kind) *model {
	return &model{
		kind: k, dirty: map[int]bool{}, processing: map[int]bool{}, priority: map[int]int{},
		wakes: map[int]*wake{}, windows: map[int]int64{}, failures: map[int]int{},
	}
}

func (m *model) tenant(key int) int { return key % 3 }

// nexts lists the keys that Get may hand out: exactly one, but for the fair queue, where it is the first of each
// tenant and priority.
func (m *model) nexts() (keys []int) {
	switch {
	case len(m.line) == 0:
	case m.kind == lifoKind:
		keys = m.line[len(m.line)-1:]
	case m.kind != fairKind:
		keys = m.line[:1]
	default:
		seen := map[[2]int]bool{}
		for _, key := range m.line {
			if group := [2]int{m.tenant(key), m.priority[key]}; !seen[group] {
				seen[group] = true
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func (m *model) take(key int) {
	m.line = slices.DeleteFunc(m.line, func(k int) bool { return k == key })
	delete(m.dirty, key)
	m.processing[key] = true
}

func (m *model) add(key, priority int) {
	switch {
	case m.closed:
	case m.dirty[key]:
		m.raise(key, priority)
	default:
		m.dirty[key], m.priority[key] = true, priority
		if !m.processing[key] {
			m.line = append(m.line, key)
		}
	}
}

// raise moves a key that waits to the end, where it is behind all of its new priority.
func (m *model) raise(key, priority int) {
	if priority <= m.priority[key] {
		return
	}
	m.priority[key] = priority
	if !m.processing[key] {
		m.line = append(slices.DeleteFunc(m.line, func(k int) bool { return k == key }), key)
	}
}

func (m *model) done(key int) {
	if m.processing[key] {
		delete(m.processing, key)
		if m.dirty[key] {
			m.line = append(m.line, key)
		}
	}
}

// addNow is the Add of the fair queue, which takes a delayed key in.
func (m *model) addNow(key, priority int) {
	if w := m.wakes[key]; m.kind == fairKind && w != nil && w.pending {
		priority = max(priority, w.priority)
		m.settle(key)
	}
	m.add(key, priority)
}

func (m *model) addAfter(key int, d time.Duration, priority int) {
	switch {
	case m.closed:
	case d <= 0:
		m.addNow(key, priority)
	case m.kind == fairKind && m.dirty[key]:
		m.raise(key, priority)
	default:
		m.delay(key, after(m.now, d), priority)
	}
}

func (m *model) delay(key int, at int64, priority int) {
	w := m.wakes[key]
	switch {
	case w != nil && w.pending:
		w.priority = max(w.priority, priority)
		at = min(at, w.at)
	case w != nil:
		w.pending, w.priority = true, priority
	default:
		m.wakes[key] = &wake{at: at, pending: true, priority: priority, seq: m.next()}
	}
	m.move(key, at)
}

func (m *model) next() int { m.seq++; return m.seq }

func (m *model) move(key int, at int64) {
	if w := m.wakes[key]; w == nil {
		m.wakes[key] = &wake{at: at, seq: m.next()}
	} else if w.at != at {
		w.at, w.seq = at, m.next()
	}
}

// settle ends a delayed add; the key comes up once more when its window ends.
func (m *model) settle(key int) {
	if w := m.wakes[key]; w != nil {
		w.pending = false
	}
	if m.windows[key] > m.now {
		m.move(key, m.windows[key])
	} else {
		delete(m.wakes, key)
	}
}

func (m *model) addRateLimited(key, priority int) {
	if m.kind == classicKind {
		m.addAfter(key, m.when(key), priority)
		return
	}
	if m.closed {
		return
	}
	queued := m.kind == fairKind && m.dirty[key]
	if queued {
		m.raise(key, priority)
	}
	if m.windows[key] <= m.now {
		m.windows[key] = after(m.now, m.when(key))
		if w := m.wakes[key]; queued && (w == nil || !w.pending) {
			m.settle(key)
		}
	}
	if !queued {
		m.delay(key, m.windows[key], priority)
	}
}

func (m *model) when(key int) time.Duration {
	m.failures[key]++
	return min(modelBase<<min(m.failures[key]-1, 10), modelMax)
}

func (m *model) forget(key int) {
	delete(m.failures, key)
	delete(m.windows, key)
	if w := m.wakes[key]; w != nil && !w.pending {
		delete(m.wakes, key)
	}
}

// advance lets time pass up to now: what is due is added in the order of time.
func (m *model) advance(now int64) {
	for {
		first, found := 0, false
		for key, w := range m.wakes {
			f := m.wakes[first]
			if w.at <= now && (!found || w.at < f.at || w.at == f.at && w.seq < f.seq) {
				first, found = key, true
			}
		}
		if !found {
			m.now = now
			return
		}
		w := *m.wakes[first]
		m.now = w.at
		m.settle(first)
		if w.pending {
			m.add(first, w.priority)
		}
	}
}

func (m *model) shutDown(drain bool) {
	m.closed, m.draining = true, drain
	clear(m.wakes)
	clear(m.windows)
}
