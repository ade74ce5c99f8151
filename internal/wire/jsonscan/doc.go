// Package jsonscan finds the parts of JSON texts without decoding them.
//
//   - [Object] steps through the members of an object that is in memory.
//   - [Skip] and [SkipString] find where a value ends.
//   - [Reader] cuts a stream into values, in a buffer that holds one of them at a time.
//   - [ListReader] reads a Kubernetes list from a stream, an item at a time.
//
// It examines a text only as far as is needed to find where a value ends: quotes and brackets. A returned value may
// still be invalid inside; the decoder will detect that. Names are compared exactly as they are written.
package jsonscan
