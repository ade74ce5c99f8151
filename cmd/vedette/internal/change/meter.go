package change

import (
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"vedette.dev/cmd/vedette/internal/object"
	"vedette.dev/internal/objdiff"
)

// limits are how many objects, fields and managers have rows of their own. The others are counted in the sums only.
type limits struct{ objects, fields, managers int }

var usualLimits = limits{objects: 200_000, fields: 20_000, managers: 10_000}

// Key is an object.
type Key struct {
	Kind      string `json:"kind"` // the resource, as kubectl has it
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// tally counts changes.
type tally struct {
	added, updated, deleted int
	bytes                   int64 // sent to each watcher
}

func (t *tally) changes() int { return t.added + t.updated + t.deleted }

func (t *tally) count(kind Type, bytes int) {
	switch kind {
	case Added:
		t.added++
	case Updated:
		t.updated++
	case Deleted:
		t.deleted++
	}
	t.bytes += int64(bytes)
}

// Type is a type of change.
type Type int

// The types of changes.
const (
	Added Type = iota
	Updated
	Deleted
)

// objectRow has the counts of one object.
type objectRow struct {
	tally
	size    int
	manager string // the last one
	gone    bool
}

type managerRow struct {
	tally
	kinds map[string]int
}

type fieldKey struct{ kind, field string }

// Meter counts changes. It is safe for concurrent use.
type Meter struct {
	limits limits

	mu         sync.Mutex
	measuring  bool
	objects    map[Key]*objectRow
	kinds      map[string]*tally
	namespaces map[string]*tally
	managers   map[string]*managerRow
	fields     map[fieldKey]int
	total      tally
	overflow   bool // a limit was reached
}

// NewMeter returns a Meter. It counts from Begin on.
func NewMeter() *Meter {
	return &Meter{
		limits:  usualLimits,
		objects: make(map[Key]*objectRow), kinds: make(map[string]*tally), namespaces: make(map[string]*tally),
		managers: make(map[string]*managerRow), fields: make(map[fieldKey]int),
	}
}

// Begin starts the measurement. Changes before it only count for the sizes of objects.
func (m *Meter) Begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.measuring = true
}

// End ends the measurement. Later changes do not count.
func (m *Meter) End() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.measuring = false
}

// Changes returns the number of changes so far.
func (m *Meter) Changes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total.changes()
}

// See counts a change of an object of a resource. For an update, old is the previous state.
func (m *Meter) See(kind string, what Type, old, obj *unstructured.Unstructured) {
	size := object.Size(obj.Object)
	var changed []string
	var manager string
	if what == Updated && old != nil {
		changed = objdiff.Fields(old.Object, obj.Object)
	}
	if what != Deleted { // an object does not name the client that deletes it
		manager = Manager(managedFields(old), managedFields(obj), changed)
	}
	if what == Updated && len(changed) == 0 {
		changed = []string{Nothing}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	row := m.object(Key{kind, obj.GetNamespace(), obj.GetName()})
	row.size, row.gone = size, what == Deleted
	if !m.measuring {
		return
	}
	row.count(what, size)
	entry(m.kinds, kind).count(what, size)
	entry(m.namespaces, obj.GetNamespace()).count(what, size)
	m.total.count(what, size)
	if manager != "" {
		row.manager = manager
		m.managed(manager, kind, what, size)
	}
	for _, field := range changed {
		m.changed(fieldKey{kind, field})
	}
}

// Nothing is the field of a change of only the version and the managed fields.
const Nothing = "(nothing but its version and managed fields)"

func managedFields(obj *unstructured.Unstructured) []metav1.ManagedFieldsEntry {
	if obj == nil {
		return nil
	}
	return obj.GetManagedFields()
}

// object returns the row of an object, or one that is not reported if there are too many.
func (m *Meter) object(k Key) *objectRow {
	if row := m.objects[k]; row != nil {
		return row
	}
	if len(m.objects) >= m.limits.objects {
		m.overflow = true
		return &objectRow{}
	}
	return entry(m.objects, k)
}

func (m *Meter) managed(manager, kind string, what Type, size int) {
	if m.managers[manager] == nil && len(m.managers) >= m.limits.managers {
		m.overflow = true
		return
	}
	row := entry(m.managers, manager)
	row.count(what, size)
	if row.kinds == nil {
		row.kinds = make(map[string]int)
	}
	row.kinds[kind]++
}

func (m *Meter) changed(k fieldKey) {
	if _, ok := m.fields[k]; !ok && len(m.fields) >= m.limits.fields {
		m.overflow = true
		return
	}
	m.fields[k]++
}

func entry[K comparable, V any](rows map[K]*V, k K) *V {
	row := rows[k]
	if row == nil {
		row = new(V)
		rows[k] = row
	}
	return row
}

// kindsOf returns the resources that a manager changes, the most changed first.
func (r *managerRow) kindsOf() []string {
	return slices.SortedFunc(maps.Keys(r.kinds), func(a, b string) int { return byCount(r.kinds[a], r.kinds[b], a, b) })
}
