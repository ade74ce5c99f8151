// Package trim reduces the memory of objects that were decoded by other means, such as typed objects from JSON.
//
//   - [Compile] returns a [Plan] for a Go type.
//   - [Plan.Trim] traverses an object: strings that other objects have as well are stored once, lists get the length
//     they need, and a map of quantities of the status that is equal to one of the spec is replaced by it. Nothing
//     mutable is shared between objects, except for the text of managed fields, which programs replace and do not write
//     to.
//   - [Plan.Same] compares two objects.
//
// The content of an object does not change. A type with its own UnmarshalJSON or UnmarshalText may share memory in
// unknown ways, and is not changed.
package trim
