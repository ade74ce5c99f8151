// Package object reads what people want to know out of objects of any kind.
//
//   - [ParseBy] reads by what to group, [By.Of] says to which group an object belongs.
//   - [Status] is how an object is, in a word.
//   - [Masker] takes the values out of Secrets.
//   - [Size] is how many bytes an object has as JSON.
//
// All of it is pure, and takes objects as they come: a field of an unexpected type is one that is not there.
package object
