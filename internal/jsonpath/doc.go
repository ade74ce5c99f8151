// Package jsonpath follows the JSONPaths that people write for kubectl, and definitions of kinds for their columns.
//
//   - [Parse] reads one: fields, items, and filters by one comparison. What it does not know is an error, and not a guess.
//   - [Path.Find] is what it leads to in an object that was read from JSON. Fields that are not there, or have another type than the path
//     expects, lead to nothing: it never panics.
//
// The order of what is found is that of lists, and of the names of fields.
package jsonpath
