package intern

import (
	"fmt"
	"sync"
	"testing"
)

func find(s *Cache[string], hash uint64, want string) bool {
	slots := s.At(hash)
	for i := range slots {
		if got := slots[i].Load(); got != nil && *got == want {
			return true
		}
	}
	return false
}

func TestShelf(t *testing.T) {
	s := &Cache[string]{Most: 256}
	for i := range 10_000 {
		text := fmt.Sprint(i)
		s.Put(s.At(uint64(i)), &text)
		if n := len(*s.table.Load()); n > 256 {
			t.Fatalf("it has %d places", n)
		}
	}
	for i := 10_000 - 2*256; i < 10_000; i++ {
		if !find(s, uint64(i), fmt.Sprint(i)) {
			t.Errorf("%d, which came lately, is not there", i)
		}
	}
	if find(s, 1, "1") {
		t.Error("what came first is still there")
	}
	s.Clear()
	if find(s, 9_999, "9999") || len(*s.table.Load()) != first {
		t.Error("it was not cleared")
	}
}

func TestManyAtOnce(t *testing.T) {
	s := &Cache[string]{Most: 1024}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 5000 {
				text := fmt.Sprint(i)
				if !find(s, uint64(i), text) {
					s.Put(s.At(uint64(i)), &text)
				}
				if g == 0 && i%1000 == 0 {
					s.Clear()
				}
			}
		})
	}
	wg.Wait()
}

func TestWorth(t *testing.T) {
	w := &HitRate{}
	for range 2 * worthFirst {
		if !w.Look(4, true) {
			t.Fatal("who judges always looks")
		}
	}
	if w.Look(4, false) {
		t.Error("it was never worth it, and is looked for")
	}
	for range worthFirst {
		w.Look(4, true)
		w.Hit(true)
	}
	if !w.Look(4, false) {
		t.Error("it is worth it now, and is not looked for")
	}
	for range 4 * worthMost {
		w.Look(4, true)
	}
	if w.Look(4, false) {
		t.Error("it is not worth it any more, and is looked for")
	}
}
