// Package trim makes objects smaller that were decoded by other means, such as typed objects from JSON.
//
//   - [Compile] makes a [Plan] of a Go type.
//   - [Plan.Trim] goes through an object: strings that other objects have as well are stored once, lists get the length they need, and
//     a map of quantities of the status that is equal to one of the spec becomes that one. Nothing that can be written to is shared between objects, but for the text of
//     managed fields, which programs replace and do not write to.
//   - [Plan.Same] compares two objects.
//
// What an object says does not change. A type that reads itself (an UnmarshalJSON or UnmarshalText of its own) may share memory
// in ways that are not known here, and is left as it is.
package trim
