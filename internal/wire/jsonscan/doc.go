// Package jsonscan finds the parts of JSON texts without decoding them.
//
//   - [Object] steps through the members of an object that is in memory.
//   - [Skip] and [SkipString] find where a value ends.
//   - [Reader] cuts a stream into values, in a buffer that holds one of them at a time.
//   - [ListReader] reads a Kubernetes list from a stream, an item at a time.
//
// It only looks as closely as it must to find where a value ends: quotes and brackets. A value that it returns may
// still be wrong inside; whoever decodes it will see. Names are compared as they are written, with their case.
package jsonscan
