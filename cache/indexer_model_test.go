package cache

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/internal/machinetest"
	"vedette.dev/internal/table"
)

func TestIndexerDoesWhatItsModelDoes(t *testing.T) { machinetest.Check(t, newIndexerMachine) }

func FuzzIndexerOperations(f *testing.F) { machinetest.Fuzz(f, newIndexerMachine) }

// indexerMachine does steps on an indexer and on a plain map.
type indexerMachine struct {
	indexer Indexer
	model   map[string]*corev1.Pod
	names   []string // of the indexes
	version int
	last    string       // the store's version
	views   []table.View // held for a while, so that writers meet readers
	copies  [][]any
	failed  error
}

// words are index values: an index function may return none, one, several, or the same twice.
var words = []string{"", "a", "b", "c", "a b", "b a", "a a", "c c c", "a b c d e f g h i j k l m n o p q r s t u v"}

// wordsOf is an index by the nth label.
func wordsOf(n int) IndexFunc {
	return func(obj any) ([]string, error) {
		return strings.Fields(obj.(*corev1.Pod).Labels[strconv.Itoa(n)]), nil
	}
}

func newIndexerMachine() machinetest.Machine {
	return &indexerMachine{
		indexer: NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc, "0": wordsOf(0)}),
		model:   map[string]*corev1.Pod{},
		names:   []string{NamespaceIndex, "0"},
	}
}

func (m *indexerMachine) pod(c machinetest.Chooser) *corev1.Pod {
	m.version++
	p := pod("ns"+strconv.Itoa(c.Pick(3)), "p"+strconv.Itoa(c.Pick(20)), strconv.Itoa(m.version))
	p.Labels = map[string]string{"0": words[c.Pick(len(words))], "1": words[c.Pick(len(words))]}
	return p
}

func (m *indexerMachine) Step(c machinetest.Chooser) {
	switch c.Pick(10) {
	case 0, 1:
		p := m.pod(c)
		m.note(m.indexer.Add(p))
		m.stored(p)
	case 2, 3:
		p := m.pod(c)
		m.note(m.indexer.Update(p))
		m.stored(p)
	case 4, 5:
		p := m.pod(c)
		m.note(m.indexer.Delete(p))
		m.removed(p)
	case 6:
		m.transact(c)
	case 7:
		m.replace(c)
	case 8:
		m.view(c)
	case 9:
		m.addIndexer()
	}
}

func (m *indexerMachine) note(err error) {
	if err != nil {
		m.failed = err
	}
}

func (m *indexerMachine) stored(p *corev1.Pod) {
	m.model[ObjectName{p.Namespace, p.Name}.String()], m.last = p, p.ResourceVersion
}

func (m *indexerMachine) removed(p *corev1.Pod) {
	delete(m.model, ObjectName{p.Namespace, p.Name}.String())
	m.last = p.ResourceVersion
}

func (m *indexerMachine) transact(c machinetest.Chooser) {
	var txns []Transaction
	for range c.Pick(8) {
		p := m.pod(c)
		if c.Pick(3) == 0 {
			txns = append(txns, Transaction{p, TransactionTypeDelete})
			m.removed(p)
		} else {
			txns = append(txns, Transaction{p, TransactionTypeUpdate})
			m.stored(p)
		}
	}
	if err := m.indexer.(TransactionStore).Transaction(txns...); err != nil {
		m.failed = err
	}
}

func (m *indexerMachine) replace(c machinetest.Chooser) {
	m.model = map[string]*corev1.Pod{}
	var list []any
	for range c.Pick(30) {
		p := m.pod(c)
		list = append(list, p)
		m.stored(p)
	}
	m.version++
	m.last = strconv.Itoa(m.version)
	m.note(m.indexer.Replace(list, m.last))
}

// view takes or gives back a view. What is in a view must not change while it is held.
func (m *indexerMachine) view(c machinetest.Chooser) {
	t := m.indexer.(*cache).table
	if len(m.views) < 3 && c.Pick(2) == 0 {
		v := t.All()
		if c.Pick(2) == 0 {
			v.Release()
			v, _ = t.ByIndex("0", words[1+c.Pick(3)])
		}
		m.views, m.copies = append(m.views, v), append(m.copies, v.Objects())
	} else if len(m.views) > 0 {
		m.views[0].Release()
		m.views, m.copies = m.views[1:], m.copies[1:]
	}
}

func (m *indexerMachine) addIndexer() {
	err := m.indexer.AddIndexers(Indexers{"1": wordsOf(1)})
	if slices.Contains(m.names, "1") {
		if err == nil {
			m.failed = fmt.Errorf("a second index of the same name was accepted")
		}
		return
	}
	m.note(err)
	m.names = append(m.names, "1")
}

func (m *indexerMachine) Check() error {
	if m.failed != nil {
		return m.failed
	}
	if err := m.indexer.(*cache).table.Verify(); err != nil {
		return err
	}
	for i := range m.views {
		if !slices.Equal(m.views[i].Objects(), m.copies[i]) {
			return fmt.Errorf("a view changed")
		}
	}
	if got := m.indexer.LastStoreSyncResourceVersion(); got != m.last {
		return fmt.Errorf("version %q, want %q", got, m.last)
	}
	return m.compare()
}

func (m *indexerMachine) compare() error {
	keys := slices.Sorted(slices.Values(m.indexer.ListKeys()))
	if want := slices.Sorted(maps.Keys(m.model)); !slices.Equal(keys, want) {
		return fmt.Errorf("keys %q, want %q", keys, want)
	}
	listed := map[any]bool{}
	for _, obj := range m.indexer.List() {
		listed[obj] = true
	}
	for key, p := range m.model {
		if got, _, _ := m.indexer.GetByKey(key); got != any(p) || !listed[p] {
			return fmt.Errorf("key %q: got %v, in the list: %v", key, got, listed[p])
		}
	}
	for _, name := range m.names {
		if err := m.compareIndex(name); err != nil {
			return fmt.Errorf("index %s: %w", name, err)
		}
	}
	return nil
}

func (m *indexerMachine) compareIndex(name string) error {
	want := map[string][]string{}
	for key, p := range m.model {
		values, _ := m.indexer.GetIndexers()[name](p)
		slices.Sort(values)
		for _, value := range slices.Compact(values) {
			want[value] = append(want[value], key)
		}
	}
	values := slices.Sorted(slices.Values(m.indexer.ListIndexFuncValues(name)))
	if !slices.Equal(values, slices.Sorted(maps.Keys(want))) {
		return fmt.Errorf("values %q, want %q", values, slices.Sorted(maps.Keys(want)))
	}
	for value, keys := range want {
		slices.Sort(keys)
		if got, err := m.indexer.IndexKeys(name, value); err != nil || !slices.Equal(got, keys) {
			return fmt.Errorf("keys under %q: %q, %v, want %q", value, got, err, keys)
		}
		objs, err := m.indexer.ByIndex(name, value)
		if err != nil || len(objs) != len(keys) {
			return fmt.Errorf("%d objects under %q, %v, want %d", len(objs), value, err, len(keys))
		}
		for _, obj := range objs {
			p := obj.(*corev1.Pod)
			if m.model[ObjectName{p.Namespace, p.Name}.String()] != p {
				return fmt.Errorf("%s under %q is not what was stored", p.Name, value)
			}
		}
	}
	return nil
}
