package table

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"

	"vedette.dev/internal/shrink"
)

// A reader must never see the type of one object with the data of the other.
type (
	anInt struct{ n int }
	aText struct{ n string }
)

// TestGetSeesEachStepAsAWhole has readers without a lock beside a writer that always writes two keys in one step, with
// objects whose types change.
func TestGetSeesEachStepAsAWhole(t *testing.T) {
	s := New(Config{})
	write := func(n int) {
		var obj any = &anInt{n}
		if n%2 == 1 {
			obj = &aText{fmt.Sprint(n)}
		}
		mustNot(t, s.Apply([]Step{
			{Op: Put, Key: "first", Object: obj},
			{Op: Put, Key: fmt.Sprint("passing", n%700), Object: obj},
			{Op: Delete, Key: fmt.Sprint("passing", (n+300)%700)},
			{Op: Put, Key: "second", Object: obj},
		}, Version{}))
	}
	read := func(key string) (n int) {
		obj, ok := s.Get(key)
		switch o := obj.(type) {
		case *anInt:
			n = o.n
		case *aText:
			_, _ = fmt.Sscan(o.n, &n)
		}
		if !ok {
			t.Errorf("%s is gone", key)
		}
		return n
	}
	write(0)
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for last := 0; !stop.Load(); {
				first := read("first")
				second := read("second")
				if first < last || second < first {
					t.Errorf("read %d, then %d and %d", last, first, second)
					return
				}
				last = second
			}
		})
	}
	for n := range 3_000 {
		write(n)
		if n%1000 == 999 {
			const many = 2 * shrink.Min // the key table grows and shrinks
			for i := range many {
				mustNot(t, s.Put(fmt.Sprint("many", i), &anInt{i}, Version{}))
			}
			for i := range many {
				s.Remove(fmt.Sprint("many", i), Version{})
			}
			obj, _ := s.Get("first")
			mustNot(t, s.Replace(maps.All(map[string]any{"first": obj, "second": obj}), 2, ""))
		}
	}
	stop.Store(true)
	readers.Wait()
	mustNot(t, s.Verify())
}
