// Package machinetest drives a data structure and its model through arbitrary steps, chosen by rapid or by a fuzzer.
package machinetest

import (
	"testing"

	"pgregory.net/rapid"
)

// Chooser makes the choices of a test.
type Chooser interface {
	// Pick returns a number from 0 to n-1.
	Pick(n int) int
}

// Machine is a data structure together with its model.
type Machine interface {
	// Step does one step on both.
	Step(c Chooser)
	// Check returns an error if they differ, or if an invariant does not hold.
	Check() error
}

// Check drives machines with choices of rapid, and checks them after each step.
func Check(t *testing.T, build func() Machine) {
	rapid.Check(t, func(t *rapid.T) {
		m := build()
		t.Repeat(map[string]func(*rapid.T){
			"step": func(t *rapid.T) { m.Step(rapidChooser{t}) },
			"": func(t *rapid.T) {
				if err := m.Check(); err != nil {
					t.Fatal(err)
				}
			},
		})
	})
}

// Fuzz drives machines with choices of a fuzzer, and checks them after each step.
func Fuzz(f *testing.F, build func() Machine) {
	f.Add([]byte{})
	f.Add([]byte("add, update, delete, replace: whatever these letters stand for"))
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 1, 1, 2, 2, 3, 3, 9, 9, 8, 8, 4, 1, 4, 1, 0, 5})
	f.Fuzz(func(t *testing.T, data []byte) {
		m := build()
		c := &byteChooser{data: data}
		for len(c.data) > 0 {
			m.Step(c)
			if err := m.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

type rapidChooser struct{ t *rapid.T }

func (c rapidChooser) Pick(n int) int { return rapid.IntRange(0, n-1).Draw(c.t, "pick") }

// byteChooser reads its choices from the bytes of a fuzzer. When they are used up, it picks 0.
type byteChooser struct{ data []byte }

func (c *byteChooser) Pick(n int) int {
	if len(c.data) == 0 {
		return 0
	}
	b := int(c.data[0])
	c.data = c.data[1:]
	return b % n
}
