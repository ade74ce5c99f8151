package intern

import (
	"fmt"
	"sync"
	"testing"
)

func find(c *Cache[string], hash uint64, want string) bool {
	set := c.At(hash)
	for i := range set {
		if got := set[i].Load(); got != nil && *got == want {
			return true
		}
	}
	return false
}

func TestCache(t *testing.T) {
	c := &Cache[string]{MaxSets: 256}
	for i := range 10_000 {
		text := fmt.Sprint(i)
		c.Put(c.At(uint64(i)), &text)
		if n := len(*c.table.Load()); n > 256 {
			t.Fatalf("it has %d sets", n)
		}
	}
	for i := 10_000 - 2*256; i < 10_000; i++ {
		if !find(c, uint64(i), fmt.Sprint(i)) {
			t.Errorf("%d, which was put lately, is not there", i)
		}
	}
	if find(c, 1, "1") {
		t.Error("what was put first is still there")
	}
	c.Clear()
	if find(c, 9_999, "9999") || len(*c.table.Load()) != minSets {
		t.Error("it was not cleared")
	}
}

func TestManyAtOnce(t *testing.T) {
	c := &Cache[string]{MaxSets: 1024}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 5000 {
				text := fmt.Sprint(i)
				if !find(c, uint64(i), text) {
					c.Put(c.At(uint64(i)), &text)
				}
				if g == 0 && i%1000 == 0 {
					c.Clear()
				}
			}
		})
	}
	wg.Wait()
}

func TestHitRate(t *testing.T) {
	r := &HitRate{}
	for range 2 * minLookups {
		if !r.ShouldLookUp(4, true) {
			t.Fatal("a sampled object is not looked up")
		}
	}
	if r.ShouldLookUp(4, false) {
		t.Error("there was no hit, and it is looked up")
	}
	for range minLookups {
		r.ShouldLookUp(4, true)
		r.Hit(true)
	}
	if !r.ShouldLookUp(4, false) {
		t.Error("half of the look-ups were hits, and it is not looked up")
	}
	for range 4 * maxLookups {
		r.ShouldLookUp(4, true)
	}
	if r.ShouldLookUp(4, false) {
		t.Error("the hits were long ago, and it is looked up")
	}
}
