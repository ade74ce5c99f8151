package cache

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/internal/machinetest"
)

func TestRealFIFODoesWhatItsModelDoes(t *testing.T) { machinetest.Check(t, newRealMachine) }

func FuzzRealFIFOOperations(f *testing.F) { machinetest.Fuzz(f, newRealMachine) }

// realMachine writes to a RealFIFO and to a slice.
type realMachine struct {
	fifo    *RealFIFO
	store   Store
	queue   []Delta
	initial int
	written bool
	version int
	failed  error
}

func newRealMachine() machinetest.Machine {
	m := &realMachine{store: NewStore(DeletionHandlingMetaNamespaceKeyFunc)}
	m.fifo = NewRealFIFO(MetaNamespaceKeyFunc, m.store, nil)
	return m
}

func (m *realMachine) Step(c machinetest.Chooser) {
	m.version++
	p := pod("", string(rune('a'+c.Pick(6))), strconv.Itoa(m.version))
	switch c.Pick(7) {
	case 0:
		m.wrote(Delta{Added, p}, m.fifo.Add(p))
	case 1:
		m.wrote(Delta{Updated, p}, m.fifo.Update(p))
	case 2:
		m.wrote(Delta{Deleted, p}, m.fifo.Delete(p))
	case 3:
		m.replace(c)
	case 4:
		m.note(m.fifo.Resync())
		for _, key := range m.store.ListKeys() {
			if obj, _, _ := m.store.GetByKey(key); m.last(key) == nil {
				m.queue = append(m.queue, Delta{Sync, obj})
			}
		}
	default:
		m.pop(c)
	}
}

func (m *realMachine) note(err error) {
	if err != nil {
		m.failed = err
	}
}

func (m *realMachine) wrote(d Delta, err error) {
	m.note(err)
	m.written = true
	m.queue = append(m.queue, d)
}

func (m *realMachine) key(d Delta) string {
	key, _ := deltaKey(MetaNamespaceKeyFunc, d)
	return key
}

// last is the last delta that is queued for a key.
func (m *realMachine) last(key string) *Delta {
	for i := len(m.queue) - 1; i >= 0; i-- {
		if m.key(m.queue[i]) == key {
			return &m.queue[i]
		}
	}
	return nil
}

func (m *realMachine) replace(c machinetest.Chooser) {
	var list []any
	listed := map[string]bool{}
	for range c.Pick(5) {
		p := pod("", string(rune('a'+c.Pick(6))), strconv.Itoa(m.version))
		list, listed[p.Name] = append(list, p), true
	}
	m.note(m.fifo.Replace(list, ""))
	var gone []Delta
	seen := map[string]bool{}
	for _, d := range m.queue {
		key := m.key(d)
		if last := m.last(key); !seen[key] && !listed[key] && last.Type != Deleted {
			gone = append(gone, Delta{Deleted, DeletedFinalStateUnknown{key, last.Object}})
		}
		seen[key] = true
	}
	for _, key := range m.store.ListKeys() {
		if obj, _, _ := m.store.GetByKey(key); !listed[key] && !seen[key] {
			gone = append(gone, Delta{Deleted, DeletedFinalStateUnknown{key, obj}})
		}
	}
	m.queue = append(m.queue, gone...)
	for _, obj := range list {
		m.queue = append(m.queue, Delta{Replaced, obj})
	}
	if !m.written {
		m.written, m.initial = true, len(m.queue)
	}
}

func (m *realMachine) pop(c machinetest.Chooser) {
	if len(m.queue) == 0 {
		return
	}
	isInitial := m.initial > 0
	take := func(deltas []Delta, isInInitialList bool) error {
		n := len(deltas)
		if isInInitialList != isInitial || n > len(m.queue) || !reflect.DeepEqual(deltas, m.queue[:n]) {
			return fmt.Errorf("took %v (%v), want %v (%v)", deltas, isInInitialList, m.queue, isInitial)
		}
		for _, d := range deltas {
			if d.Type == Deleted {
				m.note(m.store.Delete(d.Object))
			} else {
				m.note(m.store.Update(d.Object))
			}
		}
		m.queue, m.initial = slices.Clone(m.queue[n:]), max(0, m.initial-n)
		return nil
	}
	single := func(obj any, isInInitialList bool) error { return take(obj.(Deltas), isInInitialList) }
	if c.Pick(2) == 0 {
		_, err := m.fifo.Pop(single)
		m.note(err)
	} else {
		m.note(m.fifo.PopBatch(take, single))
	}
}

func (m *realMachine) Check() error {
	if m.failed != nil {
		return m.failed
	}
	if got := m.fifo.items.All(); len(got) != len(m.queue) || len(got) > 0 && !reflect.DeepEqual(got, m.queue) {
		return fmt.Errorf("queue %v, want %v", got, m.queue)
	}
	if m.fifo.HasSynced() != (m.written && m.initial == 0) {
		return fmt.Errorf("synced %v with %d left of the first list", m.fifo.HasSynced(), m.initial)
	}
	for _, obj := range m.store.List() {
		if _, ok := obj.(*corev1.Pod); !ok {
			return fmt.Errorf("%T in the store", obj)
		}
	}
	return m.fifo.gate.verify()
}
