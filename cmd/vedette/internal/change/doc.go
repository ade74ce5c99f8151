// Package change measures what changes, who changes it, and what that costs.
//
//   - [Fields] are the fields in which two states of an object differ.
//   - [Manager] is who made one state of the other.
//   - [Meter] takes the changes of a time in, and makes a [Report] of it.
//
// All of it is pure: time comes in as a parameter, and nothing reads a value out of an object but to compare it. A Report has
// names of objects and fields in it, and no values.
package change
