package fresh_test

import (
	"slices"
	"testing"

	"vedette.dev/internal/fresh"
)

type largerThanPage struct{ _ [3 * 4096]byte }

func TestSlice(t *testing.T) {
	for _, n := range []int{0, 1, 511, 512, 513, 700} {
		check(t, n, fresh.Slice[uint64](n))
		check(t, n, fresh.Slice[*int](n))
		check(t, n, fresh.Slice[struct{}](n))
		check(t, n, fresh.Slice[largerThanPage](n))
	}
}

func check[T comparable](t *testing.T, n int, got []T) {
	t.Helper()
	if !slices.Equal(got, make([]T, n)) {
		t.Errorf("%d of %T, want %d, all zero", len(got), got, n)
	}
}
