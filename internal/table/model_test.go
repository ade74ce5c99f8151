package table

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vedette.dev/internal/machinetest"
)

func TestTableDoesWhatItsModelDoes(t *testing.T) {
	machinetest.Check(t, func() machinetest.Machine { return newTableMachine(false) })
}

func TestTableWithOwnersDoesWhatItsModelDoes(t *testing.T) {
	machinetest.Check(t, func() machinetest.Machine { return newTableMachine(true) })
}

func FuzzTable(f *testing.F) {
	machinetest.Fuzz(f, func() machinetest.Machine { return newTableMachine(false) })
}

func FuzzTableWithOwners(f *testing.F) {
	machinetest.Fuzz(f, func() machinetest.Machine { return newTableMachine(true) })
}

// ownerIndex is the name of the index of owners.
const ownerIndex = "owner"

// tableMachine does steps on a table and on plain maps.
type tableMachine struct {
	table   *Table
	owned   bool
	model   map[string]*item
	owners  map[string]string
	names   []string // of the indexes that are computed
	version int
	last    string // the version of the table
	views   []View // held for a while, so that writers meet readers
	copies  [][]any
	failed  error
}

// fieldWords are the fields of items: an index function may return no value, one, several, or the same twice.
var fieldWords = []string{"", "a", "b", "c", "a b", "b a", "a a", "c c c", "a b c d e f g h i j k l m n o p q r s t u v"}

var owners = []string{"", "x", "y", "z"}

func newTableMachine(owned bool) *tableMachine {
	config := Config{Indexes: []Index{wordsOf("0", 0)}}
	if owned {
		config.OwnerIndex = &Index{Name: ownerIndex}
	}
	return &tableMachine{table: New(config), owned: owned, model: map[string]*item{}, owners: map[string]string{}, names: []string{"0"}}
}

func (m *tableMachine) item(c machinetest.Chooser) *item {
	return &item{
		key:    "k" + strconv.Itoa(c.Pick(60)),
		fields: [2]string{fieldWords[c.Pick(len(fieldWords))], fieldWords[c.Pick(len(fieldWords))]},
	}
}

// next returns the version of the next write.
func (m *tableMachine) next() Version {
	m.version++
	m.last = strconv.Itoa(m.version)
	return At(m.last)
}

func (m *tableMachine) Step(c machinetest.Chooser) {
	if m.owned && c.Pick(3) > 0 {
		m.apply(c)
		return
	}
	switch c.Pick(8) {
	case 0, 1, 2:
		x := m.item(c)
		m.note(m.table.Put(x.key, x, m.next()))
		m.model[x.key] = x
	case 3:
		x := m.item(c)
		m.table.Remove(x.key, m.next())
		m.remove(x.key)
	case 4:
		m.apply(c)
	case 5:
		m.replace(c)
	case 6:
		m.view(c)
	case 7:
		m.addIndex()
	}
}

func (m *tableMachine) note(err error) {
	if err != nil {
		m.failed = err
	}
}

func (m *tableMachine) remove(key string) {
	delete(m.model, key)
	delete(m.owners, key)
}

// apply does several writes in one step, sometimes without a version.
func (m *tableMachine) apply(c machinetest.Chooser) {
	var steps []Step
	for range c.Pick(8) {
		x := m.item(c)
		owner := owners[c.Pick(len(owners))]
		switch op := c.Pick(4); {
		case op == 0:
			steps = append(steps, Step{Op: Delete, Key: x.key})
			m.remove(x.key)
		case op == 1 && m.owned:
			steps = append(steps, Step{Op: Move, Key: x.key, Owner: owner})
			if m.model[x.key] != nil {
				m.owners[x.key] = owner
			}
		default:
			steps = append(steps, Step{Op: Put, Key: x.key, Object: x, Owner: owner})
			m.model[x.key] = x
			if owner != "" { // an empty one means that the key keeps its owner
				m.owners[x.key] = owner
			}
		}
	}
	at := Version{}
	if c.Pick(2) == 0 {
		at = m.next()
	}
	m.note(m.table.Apply(steps, at))
}

func (m *tableMachine) replace(c machinetest.Chooser) {
	m.model = map[string]*item{}
	items := func(yield func(string, any) bool) {
		for range c.Pick(30) {
			x := m.item(c)
			m.model[x.key] = x
			if !yield(x.key, x) {
				return
			}
		}
	}
	m.next()
	m.note(m.table.Replace(items, 30, m.last))
	maps.DeleteFunc(m.owners, func(key, _ string) bool { return m.model[key] == nil })
}

// view takes or releases a view. What is in a view must not change while it is held.
func (m *tableMachine) view(c machinetest.Chooser) {
	if len(m.views) < 3 && c.Pick(2) == 0 {
		v := m.table.All()
		switch c.Pick(4) {
		case 0:
			v.Release()
			v, _ = m.table.ByIndex("0", fieldWords[1+c.Pick(3)])
		case 1:
			v.Filter(m.even)
		case 2:
			v.Release()
			v = m.table.ByKeys([]string{"k1", "k2", "k30", "none"})
		}
		m.views, m.copies = append(m.views, v), append(m.copies, v.Objects())
	} else if len(m.views) > 0 {
		m.views[0].Release()
		m.views, m.copies = m.views[1:], m.copies[1:]
	}
}

func (m *tableMachine) even(key string) bool { return strings.ContainsAny(key[len(key)-1:], "02468") }

func (m *tableMachine) addIndex() {
	err := m.table.AddIndexes([]Index{wordsOf("1", 1)})
	if slices.Contains(m.names, "1") {
		if err == nil {
			m.failed = fmt.Errorf("a second index of the same name was accepted")
		}
		return
	}
	m.note(err)
	m.names = append(m.names, "1")
}

func (m *tableMachine) Check() error {
	if m.failed != nil {
		return m.failed
	}
	if err := m.table.Verify(); err != nil {
		return err
	}
	for i := range m.views {
		if v := &m.views[i]; !slices.Equal(v.Objects(), m.copies[i]) || v.Len() != len(m.copies[i]) {
			return fmt.Errorf("a view changed")
		}
	}
	if views, _ := m.table.Readers(); views != len(m.views) {
		return fmt.Errorf("%d views, want %d", views, len(m.views))
	}
	if got := m.table.Version(); got != m.last {
		return fmt.Errorf("version %q, want %q", got, m.last)
	}
	return m.compare()
}

func (m *tableMachine) compare() error {
	keys := slices.Sorted(slices.Values(m.table.Keys()))
	if want := slices.Sorted(maps.Keys(m.model)); !slices.Equal(keys, want) || m.table.Len() != len(want) {
		return fmt.Errorf("%d keys %q, want %q", m.table.Len(), keys, want)
	}
	listed := map[any]bool{}
	for _, obj := range m.table.List() {
		listed[obj] = true
	}
	want := map[string][]string{}
	for key, x := range m.model {
		if got, ok := m.table.GetBytes([]byte(key)); got != any(x) || !ok || !listed[x] {
			return fmt.Errorf("key %q: got %v, in the list: %v", key, got, listed[x])
		}
		if m.owned {
			if obj, owner, ok := m.table.GetOwned(key); obj != any(x) || owner != m.owners[key] || !ok {
				return fmt.Errorf("key %q has owner %q, want %q", key, owner, m.owners[key])
			}
			want[m.owners[key]] = append(want[m.owners[key]], key)
		}
	}
	if m.owned {
		if err := m.compareOwners(want); err != nil {
			return err
		}
	}
	for number, name := range m.names {
		want := map[string][]string{}
		for key, x := range m.model {
			for _, value := range slices.Compact(slices.Sorted(strings.FieldsSeq(x.fields[number]))) {
				want[value] = append(want[value], key)
			}
		}
		if err := m.compareIndex(name, want); err != nil {
			return fmt.Errorf("index %s: %w", name, err)
		}
	}
	return nil
}

func (m *tableMachine) compareOwners(want map[string][]string) error {
	for _, owner := range owners {
		if got := m.table.CountOwned(owner); got != len(want[owner]) {
			return fmt.Errorf("%d keys of owner %s, want %d", got, owner, len(want[owner]))
		}
	}
	return m.compareIndex(ownerIndex, want)
}

// compareIndex compares an index with the keys of each value.
func (m *tableMachine) compareIndex(name string, want map[string][]string) error {
	values := slices.Sorted(slices.Values(m.table.IndexValues(name)))
	if !slices.Equal(values, slices.Sorted(maps.Keys(want))) {
		return fmt.Errorf("values %q, want %q", values, slices.Sorted(maps.Keys(want)))
	}
	for value, keys := range want {
		slices.Sort(keys)
		if got, err := m.table.KeysByIndex(name, value); err != nil || !slices.Equal(got, keys) {
			return fmt.Errorf("keys of %q: %q, %v, want %q", value, got, err, keys)
		}
		objs, err := m.table.ListByIndex(name, value)
		if err != nil || len(objs) != len(keys) {
			return fmt.Errorf("%d objects of %q, %v, want %d", len(objs), value, err, len(keys))
		}
		for _, obj := range objs {
			if x := obj.(*item); m.model[x.key] != x {
				return fmt.Errorf("%s of %q is not what was stored", x.key, value)
			}
		}
	}
	return nil
}
