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

// limits are how many objects, fields and managers have rows of their own. What comes beyond that is counted in the sums only.
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
	bytes                   int64 // of what watchers are sent
}

func (t *tally) changes() int { return t.added + t.updated + t.deleted }

func (t *tally) count(kind What, bytes int) {
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

// What is what happened.
type What int

// The three things that happen.
const (
	Added What = iota
	Updated
	Deleted
)

// objectRow is what is known of one object.
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

// Meter takes changes in. It is safe for concurrent use.
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
	overflow   bool // something has no row for want of room
}

// NewMeter returns a Meter that counts nothing yet.
func NewMeter() *Meter {
	return &Meter{
		limits:  usualLimits,
		objects: make(map[Key]*objectRow), kinds: make(map[string]*tally), namespaces: make(map[string]*tally),
		managers: make(map[string]*managerRow), fields: make(map[fieldKey]int),
	}
}

// Begin begins the time that is measured. What was seen before counts for the sizes of objects only.
func (m *Meter) Begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.measuring = true
}

// End ends it. What comes later does not count.
func (m *Meter) End() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.measuring = false
}

// Changes is how many there were until now.
func (m *Meter) Changes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total.changes()
}

// See takes in that something happened to an object of a resource. For an update, old is what it was before.
func (m *Meter) See(kind string, what What, old, obj *unstructured.Unstructured) {
	size := object.Size(obj.Object)
	var changed []string
	var manager string
	if what == Updated && old != nil {
		changed = objdiff.Fields(old.Object, obj.Object)
	}
	if what != Deleted { // who deletes is not in the object
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

// Nothing is the field of a change that changed nothing of interest.
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

func (m *Meter) managed(manager, kind string, what What, size int) {
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

// kindsOf are the resources that a manager changes, the most changed first.
func (r *managerRow) kindsOf() []string {
	return slices.SortedFunc(maps.Keys(r.kinds), func(a, b string) int { return byCount(r.kinds[a], r.kinds[b], a, b) })
}
