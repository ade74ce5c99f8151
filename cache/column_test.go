package cache

import (
	"fmt"
	"slices"
	"testing"
)

func TestColumnDoesWhatASliceDoes(t *testing.T) { checkMachine(t, newColumnMachine) }

func FuzzColumn(f *testing.F) { fuzzMachine(f, newColumnMachine) }

// columnMachine does steps on a column and on a slice, in lengths that reach over several chunks, and holds views.
type columnMachine struct {
	share  sharing
	column column[int]
	model  []int
	next   int
	views  []columnView
}

type columnView struct {
	spine []chunk[int]
	want  []int
}

func newColumnMachine() machine { return &columnMachine{} }

func (m *columnMachine) step(c chooser) {
	m.share.begin()
	switch c.pick(7) {
	case 0, 1:
		for range 1 + c.pick(3*chunkRows/2) {
			m.next++
			m.column.push(m.next, &m.share)
			m.model = append(m.model, m.next)
		}
	case 2:
		for range min(len(m.model), c.pick(2*chunkRows)) {
			m.remove(c.pick(len(m.model)))
		}
	case 3:
		for range min(len(m.model), c.pick(3*chunkRows)) {
			m.remove(len(m.model) - 1)
		}
	case 4:
		if len(m.model) > 0 {
			m.next++
			i := (c.pick(256)*256 + c.pick(256)) % len(m.model)
			m.column.set(uint32(i), m.next, &m.share)
			m.model[i] = m.next
		}
	case 5:
		m.share.enter()
		m.views = append(m.views, columnView{m.column.spine, slices.Clone(m.model)})
	case 6:
		if len(m.views) > 0 {
			m.share.leave()
			m.views = m.views[1:]
		}
	}
}

func (m *columnMachine) remove(i int) {
	moved, ok := m.column.swapRemove(uint32(i), &m.share)
	last := len(m.model) - 1
	if ok != (i != last) || ok && moved != m.model[last] {
		panic(fmt.Sprintf("swapRemove of %d of %d returned %d, %v", i, last+1, moved, ok))
	}
	m.model[i] = m.model[last]
	m.model = m.model[:last]
}

func (m *columnMachine) check() error {
	if err := m.column.verify(); err != nil {
		return err
	}
	if got := flat(m.column.spine); !slices.Equal(got, m.model) {
		return fmt.Errorf("%d rows, want %d, or others", len(got), len(m.model))
	}
	for _, v := range m.views {
		if !slices.Equal(flat(v.spine), v.want) {
			return fmt.Errorf("a view changed")
		}
	}
	return nil
}

func flat(spine []chunk[int]) (out []int) {
	for _, c := range spine {
		out = append(out, c.rows...)
	}
	return out
}
