// Package fresh makes slices for tables that are looked at before they are written to, as hash tables are.
//
// The kernel has one page of zeros for all memory that was never written to. Who reads such memory is lent that page; who
// then writes to it gets a page of its own, and the processors on which the program runs are interrupted to forget the lent
// one. On two busy cores of a virtual machine that took 24 µs a page, and 2 µs where the page was written to at once. A work
// queue that grew spent a third of its time so, with its lock held.
package fresh

import "unsafe"

// smallestPage is the size of a page where pages are smallest.
const smallestPage = 4096

// Slice returns n elements, all zero, and has written to each page of them.
func Slice[T any](n int) []T {
	s := make([]T, n)
	var zero T
	for i := 0; i < n; i += perPage[T]() {
		s[i] = zero
	}
	return s
}

// perPage is how many elements there are from one page to the next, or fewer.
func perPage[T any]() int {
	var zero T
	return max(1, smallestPage/max(1, int(unsafe.Sizeof(zero))))
}
