package table

import (
	"fmt"
	"testing"
	"time"
)

// longTable returns a table in which n items have the value "a" in index "0".
func longTable(t *testing.T, n int) *Table {
	s := New(Config{Indexes: []Index{wordsOf("0", 0)}})
	for i := range n {
		x := &item{key: fmt.Sprint(i), fields: [2]string{"a"}}
		mustNot(t, s.Put(x.key, x, Version{}))
	}
	return s
}

// takeCopySlots takes all slots of the semaphore, each with a view.
func takeCopySlots(t *testing.T, s *Table) (views []View) {
	for range s.epochs.copies.slots {
		v, err := s.All().ForCopy(nil)
		mustNot(t, err)
		views = append(views, v)
	}
	return views
}

func TestALongListWaitsForASlotWithoutAView(t *testing.T) {
	for name, list := range map[string]func(s *Table) []any{
		"List":        (*Table).List,
		"ListByIndex": func(s *Table) []any { list, _ := s.ListByIndex("0", "a"); return list },
	} {
		t.Run(name, func(t *testing.T) {
			s := longTable(t, longView)
			others := takeCopySlots(t, s)
			got := make(chan int)
			go func() { got <- len(list(s)) }()
			for began := time.Now(); ; time.Sleep(time.Millisecond) {
				views, waits := s.Readers()
				if waits == 1 && views == len(others) {
					break
				}
				if time.Since(began) > 10*time.Second {
					t.Fatalf("%d waits, %d views", waits, views)
				}
			}
			mustNot(t, s.Put("late", &item{key: "late", fields: [2]string{"a"}}, Version{}))
			mustNot(t, s.Put("b", &item{key: "b", fields: [2]string{"b"}}, Version{}))
			if short, err := s.ListByIndex("0", "b"); err != nil || len(short) != 1 {
				t.Errorf("a short list: %d, %v", len(short), err)
			}
			select {
			case n := <-got:
				t.Errorf("%d objects were listed without a slot", n)
			default:
			}
			for i := range others {
				others[i].Release()
			}
			if n := <-got; n < longView+1 {
				t.Errorf("%d objects, want those that were written while the list waited too", n)
			}
			for _, v := range takeCopySlots(t, s) {
				v.Release()
			}
			if views, waits := s.Readers(); views != 0 || waits != 1 {
				t.Errorf("%d views were not released, %d waits", views, waits)
			}
		})
	}
}

func TestAViewThatCannotBeTakenAgainReleasesItsSlot(t *testing.T) {
	s := longTable(t, longView)
	others := takeCopySlots(t, s)
	done := make(chan error)
	go func() {
		_, err := s.All().ForCopy(func() (View, error) { return View{}, errBad })
		done <- err
	}()
	for _, waits := s.Readers(); waits == 0; _, waits = s.Readers() {
		time.Sleep(time.Millisecond)
	}
	for i := range others {
		others[i].Release()
	}
	if err := <-done; err != errBad {
		t.Errorf("error %v, want %v", err, errBad)
	}
	for _, v := range takeCopySlots(t, s) {
		v.Release()
	}
	if views, _ := s.Readers(); views != 0 {
		t.Errorf("%d views were not released", views)
	}
}
