// Package jsoncheck reports whether a JSON text can certainly be decoded, without making anything of it. So whoever keeps
// objects as bytes need not decode each one that comes just to know that it can be decoded later.
//
//   - [Valid] looks at an object of no particular type, as it is decoded into a map[string]any.
//   - [Compile] makes a [Plan] of a Go type, and [Plan.Check] looks at an object that is to be decoded into it.
//
// Both answer for [k8s.io/apimachinery/pkg/util/json], which is what decodes objects in this module. Its rules are those of
// encoding/json with names in exact case: unknown fields are passed over, null is good for nearly everything, of fields that come
// twice the last wins, and bytes that are no UTF-8 are replaced.
//
// A yes is certain. A no means that only decoding tells: the text may be wrong, or only unusual. Unusual is what no API server
// sends: values nested deeper than 500, a field of a struct whose name is written with an escape, bytes in base64 with escapes in
// them, an integer of 20 digits, a number that no float64 can hold in a place where nobody reads it, null for a pointer to a
// type that does not take it.
//
// Nothing is allocated, apart from types that read themselves (they have an UnmarshalJSON or UnmarshalText): those are given the
// bytes, in a value that is forgotten. The types of Kubernetes among them are known, and need that only where they are written
// in unusual ways. A field that holds one that is not known may come only once in its object, as what it says to the second
// text might depend on the first. The same holds for arrays, for maps whose keys are no strings, and for structs with fields that
// hide each other: those are decoded.
package jsoncheck
