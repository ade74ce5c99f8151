// Package object extracts values for display from objects of any kind.
//
//   - [ParseBy] parses a grouping, [By.Of] returns the group of an object.
//   - [Status] returns the status of an object in one word.
//   - [Masker] masks the values of Secrets.
//   - [Size] returns the size of an object as JSON.
//
// The package is pure, and accepts any object: a field of an unexpected type is treated as missing.
package object
