// Package objdiff finds the fields in which two states of an object differ.
//
//   - Fields compares objects without a Go type, by their names in JSON, as people write them: status.conditions[Ready].status. Items of
//     lists that have a name or a type are compared with those of the same name. Brief shortens its result.
//   - Values compares objects of one Go type, down to private fields, and says what each field was and is.
//
// Both are pure functions. What differs has a field and what does not has none; only Fields leaves out what changes with every change, such as
// the version.
package objdiff
