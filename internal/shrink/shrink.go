// Package shrink decides when a container that has lost most of its entries is rebuilt, so that its memory goes back to
// the collector. A Go map never does that by itself.
package shrink

// Min is the number of entries below which a container is never rebuilt.
const Min = 512

// ratio is how many times fewer entries than its peak a container has when it is rebuilt. The cost of rebuilding it is
// then a fraction of the cost of the removals before.
const ratio = 8

// Peak is the largest number of entries that a container has had since it was built. The zero value belongs to an empty
// container.
type Peak struct{ n int }

// Grow records that the container has n entries.
func (p *Peak) Grow(n int) { p.n = max(p.n, n) }

// Reset records that the container was built with room for n entries.
func (p *Peak) Reset(n int) { p.n = n }

// Due reports whether a container with n entries should be rebuilt.
func (p *Peak) Due(n int) bool { return p.n >= Min && n < p.n/ratio }

// Map returns a copy of m that has no more memory than its entries need.
func Map[K comparable, V any](m map[K]V) map[K]V {
	out := make(map[K]V, len(m)) // maps.Clone would keep the memory
	for k, v := range m {
		out[k] = v
	}
	return out
}
