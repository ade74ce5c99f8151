package table

import "unsafe"

// A key table is read before it is written to. The kernel maps memory that was never written to a shared page of zeros on a read. A later write allocates a page,
// and the processors on which the program runs are interrupted to flush the old mapping. On two busy cores of a virtual
// machine that took 24 µs per page, and 2 µs if the page was written first. A growing work queue spent a third of its
// time there, with its lock held.

// smallestPage is the size of a page where pages are smallest.
const smallestPage = 4096

// mapped returns n elements, all zero, and has written to each page of them.
func mapped[T any](n int) []T {
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
