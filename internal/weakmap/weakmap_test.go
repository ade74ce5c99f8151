package weakmap

import (
	"runtime"
	"sync"
	"testing"
	"time"
)

// value is too large for the allocator of tiny objects, which frees several at a time.
type value struct{ n [3]int }

func TestMapHoldsWhatOthersHold(t *testing.T) {
	var m Map[string, value]
	if m.Get("a") != nil || m.Len() != 0 {
		t.Error("the zero map is not empty")
	}
	held := m.LoadOrStore("a", &value{n: [3]int{1}})
	if got := m.LoadOrStore("a", &value{n: [3]int{2}}); got != held || m.Get("a") != held {
		t.Error("a value that is held was replaced")
	}
	m.LoadOrStore("b", &value{n: [3]int{3}})
	eventually(t, func() bool { return m.Get("b") == nil && m.Len() == 1 })
	if m.Get("a") != held {
		t.Error("a value that is held is gone")
	}
	runtime.KeepAlive(held)
	held = nil
	eventually(t, func() bool { return m.Len() == 0 })
}

// The value of a key goes, and another comes before the cleanup has run: the new one stays.
func TestLateNewsDoesNotRemoveTheNext(t *testing.T) {
	var m Map[string, value]
	m.LoadOrStore("a", &value{})
	old := m.entries["a"]
	eventually(t, func() bool { return old.Value() == nil })
	next := m.LoadOrStore("a", &value{})
	m.drop("a", old)
	if m.Get("a") != next {
		t.Error("the next value was removed")
	}
	runtime.KeepAlive(next)
}

func TestManyUsersGetOneValue(t *testing.T) {
	var m Map[int, value]
	var all sync.WaitGroup
	results := make([]*value, 100)
	for i := range results {
		all.Go(func() { results[i] = m.LoadOrStore(1, &value{n: [3]int{i}}) })
	}
	all.Wait()
	for _, v := range results {
		if v != results[0] {
			t.Fatal("two users got different values")
		}
	}
}

func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for range 200 {
		if runtime.GC(); holds() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("the map still holds a value that nothing else refers to")
}
