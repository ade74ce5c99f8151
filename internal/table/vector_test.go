package table

import (
	"fmt"
	"slices"
	"testing"

	"vedette.dev/internal/machinetest"
)

func TestVectorDoesWhatASliceDoes(t *testing.T) { machinetest.Check(t, newVectorMachine) }

func FuzzVector(f *testing.F) { machinetest.Fuzz(f, newVectorMachine) }

// vectorMachine does steps on a vector and on a slice, in lengths of several chunks, and holds views.
type vectorMachine struct {
	epochs epochs
	vector vector[int]
	model  []int
	next   int
	views  []vectorView
}

type vectorView struct {
	chunks []chunk[int]
	want   []int
}

func newVectorMachine() machinetest.Machine { return &vectorMachine{} }

func (m *vectorMachine) Step(c machinetest.Chooser) {
	m.epochs.beginWrite()
	switch c.Pick(7) {
	case 0, 1:
		for range 1 + c.Pick(3*chunkLen/2) {
			m.next++
			m.vector.push(m.next, &m.epochs)
			m.model = append(m.model, m.next)
		}
	case 2:
		for range min(len(m.model), c.Pick(2*chunkLen)) {
			m.remove(c.Pick(len(m.model)))
		}
	case 3:
		for range min(len(m.model), c.Pick(3*chunkLen)) {
			m.remove(len(m.model) - 1)
		}
	case 4:
		if len(m.model) > 0 {
			m.next++
			i := (c.Pick(256)*256 + c.Pick(256)) % len(m.model)
			m.vector.set(uint32(i), m.next, &m.epochs)
			m.model[i] = m.next
		}
	case 5:
		m.epochs.enter()
		m.views = append(m.views, vectorView{m.vector.chunks, slices.Clone(m.model)})
	case 6:
		if len(m.views) > 0 {
			m.epochs.leave()
			m.views = m.views[1:]
		}
	}
}

func (m *vectorMachine) remove(i int) {
	moved, ok := m.vector.swapRemove(uint32(i), &m.epochs)
	last := len(m.model) - 1
	if ok != (i != last) || ok && moved != m.model[last] {
		panic(fmt.Sprintf("swapRemove of %d of %d returned %d, %v", i, last+1, moved, ok))
	}
	m.model[i] = m.model[last]
	m.model = m.model[:last]
}

func (m *vectorMachine) Check() error {
	if err := m.vector.verify(); err != nil {
		return err
	}
	if got := flat(m.vector.chunks); !slices.Equal(got, m.model) {
		return fmt.Errorf("%d elements, want %d, or others", len(got), len(m.model))
	}
	for _, v := range m.views {
		if !slices.Equal(flat(v.chunks), v.want) {
			return fmt.Errorf("a view changed")
		}
	}
	return nil
}

func flat(chunks []chunk[int]) (out []int) {
	for _, c := range chunks {
		out = append(out, c.elems...)
	}
	return out
}
