package table

import (
	"slices"
	"testing"
)

type largerThanPage struct{ _ [3 * 4096]byte }

func TestMapped(t *testing.T) {
	for _, n := range []int{0, 1, 511, 512, 513, 700} {
		checkMapped(t, n, mapped[uint64](n))
		checkMapped(t, n, mapped[*int](n))
		checkMapped(t, n, mapped[struct{}](n))
		checkMapped(t, n, mapped[largerThanPage](n))
	}
}

func checkMapped[T comparable](t *testing.T, n int, got []T) {
	t.Helper()
	if !slices.Equal(got, make([]T, n)) {
		t.Errorf("%d of %T, want %d, all zero", len(got), got, n)
	}
}
