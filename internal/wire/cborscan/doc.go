// Package cborscan finds the parts of CBOR items (RFC 8949) without decoding them.
//
//   - [Map] and [Array] step through the entries of a map and the elements of an array that are in memory.
//   - [Skip] finds where an item ends, and [Text] and [Int] read a string and a number.
//   - [Reader] cuts a stream, such as a CBOR sequence (RFC 8742), into items, in a buffer that holds one of them at a time.
//   - [ListReader] reads a Kubernetes list from a stream, an item at a time.
//   - [Canonical] checks an object without a type, and writes it with the keys of its maps in order; a [Sorter] does so with
//     the memory that it had for the last one.
//
// An item is examined only as far as is needed to find where it ends: it is well-formed, with the limits that
// k8s.io/apimachinery has, but may not be valid. The decoder detects that. Strings are byte strings (Kubernetes' encoder
// writes these) or text strings. The tag of self-described CBOR (0xd9d9f7) may be before any item, and says nothing.
// Kubernetes' servers write the entries of maps in random order.
//
// Lengths are not trusted: memory grows with the bytes that arrive, and never beyond a limit.
package cborscan
