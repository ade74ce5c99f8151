// Package testsize gives tests two sizes: a small one for `make test` (go test -short), and the full one for `make ci`.
package testsize

import "testing"

// Of returns full, or small if go test runs with -short.
func Of[T any](full, small T) T {
	if testing.Short() {
		return small
	}
	return full
}
