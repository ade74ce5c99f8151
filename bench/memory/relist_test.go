package memory

import (
	"testing"

	"vedette.dev/bench/internal/podcache"
	"vedette.dev/bench/pods/podserver"
)

// TestChangesOfARelist: the numbers of changes are those that the server gives them.
func TestChangesOfARelist(t *testing.T) {
	for _, n := range []int{1000, 2000, 2002, 2003, 5500} {
		r := &relist{Running: &podcache.Running{Config: podcache.Config{Pods: n}}, began: podserver.Report{Changes: -7}}
		changed, gone, number := 0, 0, 0
		for i := 1; i < n; i++ {
			switch c := r.change(i); {
			case c == podcache.Gone:
				gone++
				number++
			case c > 0:
				changed++
				if number++; c != number {
					t.Fatalf("of %d pods, %d has change %d, want %d", n, i, c, number)
				}
			}
		}
		if changed != count(n, 1) || gone != count(n, 2) {
			t.Errorf("of %d pods %d have changed and %d are gone, said to be %d and %d", n, changed, gone, count(n, 1), count(n, 2))
		}
	}
}
