// Package change measures what changes, who changes it, and what that costs.
//
//   - [Fields] are the fields in which two states of an object differ.
//   - [Manager] returns the field manager that made a change.
//   - [Meter] counts the changes of a period, and returns a [Report] of it.
//
// The package is pure: time is a parameter, and values of objects are only compared. A Report has names of objects and fields
// in it, and no values.
package change
