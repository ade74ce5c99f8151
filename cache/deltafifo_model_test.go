package cache

import (
	"fmt"
	"reflect"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/internal/machinetest"
)

func TestDeltaFIFODoesWhatItsModelDoes(t *testing.T) { machinetest.Check(t, newFIFOMachine) }

func FuzzDeltaFIFOOperations(f *testing.F) { machinetest.Fuzz(f, newFIFOMachine) }

// fifoMachine writes to a DeltaFIFO and to a list of what is pending, and applies what it takes out to a store. At any
// moment the store together with what is pending must be what was written.
type fifoMachine struct {
	fifo    *DeltaFIFO
	store   Store
	queue   []Deltas // the model: one for each key
	truth   map[string]string
	version int
	initial int // keys of the first list that were not taken
	first   bool
	failed  error
}

func newFIFOMachine() machinetest.Machine {
	m := &fifoMachine{store: NewStore(DeletionHandlingMetaNamespaceKeyFunc), truth: map[string]string{}, first: true}
	m.fifo = NewDeltaFIFOWithOptions(DeltaFIFOOptions{KnownObjects: m.store, EmitDeltaTypeReplaced: true})
	return m
}

func (m *fifoMachine) pod(c machinetest.Chooser) *corev1.Pod {
	m.version++
	return pod("", string(rune('a'+c.Pick(6))), strconv.Itoa(m.version))
}

func (m *fifoMachine) Step(c machinetest.Chooser) {
	switch c.Pick(8) {
	case 0:
		p := m.pod(c)
		m.note(m.fifo.Add(p))
		m.wrote(Delta{Added, p}, p.Name)
	case 1, 2:
		p := m.pod(c)
		m.note(m.fifo.Update(p))
		m.wrote(Delta{Updated, p}, p.Name)
	case 3:
		p := m.pod(c)
		_, known, _ := m.store.GetByKey(p.Name)
		m.note(m.fifo.Delete(p))
		m.first = false
		if known || m.pending(p.Name) != nil {
			m.wrote(Delta{Deleted, p}, p.Name)
		}
		delete(m.truth, p.Name)
	case 4:
		m.replace(c)
	case 5:
		m.resync()
	case 6, 7:
		m.pop()
	}
}

func (m *fifoMachine) note(err error) {
	if err != nil {
		m.failed = err
	}
}

func (m *fifoMachine) pending(key string) *Deltas {
	for i := range m.queue {
		if k, _ := m.fifo.KeyOf(m.queue[i]); k == key {
			return &m.queue[i]
		}
	}
	return nil
}

// wrote notes a delta in the model, by the words of point 12.
func (m *fifoMachine) wrote(d Delta, key string) {
	m.first = false
	m.queued(d, key)
	if p, ok := d.Object.(*corev1.Pod); ok && d.Type != Deleted {
		m.truth[key] = p.ResourceVersion
	}
}

func (m *fifoMachine) queued(d Delta, key string) {
	p := m.pending(key)
	if p == nil {
		m.queue = append(m.queue, Deltas{d})
		return
	}
	last := &(*p)[len(*p)-1]
	if last.Type != Deleted || d.Type != Deleted {
		*p = append(*p, d)
	} else if _, unknown := last.Object.(DeletedFinalStateUnknown); unknown {
		*last = d
	}
}

func (m *fifoMachine) replace(c machinetest.Chooser) {
	var list []any
	listed := map[string]bool{}
	for range c.Pick(5) {
		p := m.pod(c)
		list = append(list, p)
		listed[p.Name] = true
	}
	m.version++
	m.note(m.fifo.Replace(list, strconv.Itoa(m.version)))
	wasFirst := m.first
	m.truth = map[string]string{}
	for _, obj := range list {
		p := obj.(*corev1.Pod)
		m.wrote(Delta{Replaced, p}, p.Name)
	}
	missing := 0
	for _, d := range m.queue {
		key, _ := m.fifo.KeyOf(d)
		if listed[key] {
			continue
		}
		last := d.Newest().Object
		if u, ok := last.(DeletedFinalStateUnknown); ok {
			last = u.Obj
		}
		missing++
		m.queued(Delta{Deleted, DeletedFinalStateUnknown{key, last}}, key)
	}
	for _, key := range m.store.ListKeys() {
		if obj, _, _ := m.store.GetByKey(key); !listed[key] && m.pending(key) == nil {
			missing++
			m.queued(Delta{Deleted, DeletedFinalStateUnknown{key, obj}}, key)
		}
	}
	m.first = false
	if wasFirst {
		m.initial = len(listed) + missing
	}
}

func (m *fifoMachine) resync() {
	m.note(m.fifo.Resync())
	for _, key := range m.store.ListKeys() {
		if obj, _, _ := m.store.GetByKey(key); m.pending(key) == nil {
			m.queued(Delta{Sync, obj}, key)
		}
	}
}

func (m *fifoMachine) pop() {
	if len(m.queue) == 0 {
		return
	}
	want := m.queue[0]
	m.queue = m.queue[1:]
	_, err := m.fifo.Pop(func(obj any, isInInitialList bool) error {
		if !reflect.DeepEqual(obj, any(want)) {
			return fmt.Errorf("popped %v, want %v", obj, want)
		}
		if isInInitialList != (m.initial > 0) {
			return fmt.Errorf("isInInitialList %v, want %v", isInInitialList, m.initial > 0)
		}
		m.apply(obj.(Deltas))
		return nil
	})
	m.initial = max(0, m.initial-1)
	m.note(err)
}

func (m *fifoMachine) apply(deltas Deltas) {
	for _, d := range deltas {
		if d.Type == Deleted {
			m.note(m.store.Delete(d.Object))
		} else {
			m.note(m.store.Update(d.Object))
		}
	}
}

func (m *fifoMachine) Check() error {
	if m.failed != nil {
		return m.failed
	}
	if got, want := m.fifo.HasSynced(), !m.first && m.initial == 0; got != want {
		return fmt.Errorf("synced %v, want %v", got, want)
	}
	if err := m.compareTruth(); err != nil {
		return err
	}
	return m.fifo.verify()
}

// compareTruth plays what is pending onto a copy of the store.
func (m *fifoMachine) compareTruth() error {
	end := map[string]string{}
	for _, obj := range m.store.List() {
		end[obj.(*corev1.Pod).Name] = obj.(*corev1.Pod).ResourceVersion
	}
	for _, deltas := range m.queue {
		key, _ := m.fifo.KeyOf(deltas)
		if last := deltas.Newest(); last.Type == Deleted {
			delete(end, key)
		} else {
			end[key] = last.Object.(*corev1.Pod).ResourceVersion
		}
	}
	if !reflect.DeepEqual(end, m.truth) {
		return fmt.Errorf("store and queue lead to %v, want %v", end, m.truth)
	}
	return nil
}
