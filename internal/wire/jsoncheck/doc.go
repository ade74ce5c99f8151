// Package jsoncheck reports whether a JSON text can certainly be decoded, without decoding it. So objects that are
// stored as bytes need not be decoded on arrival just to know that they can be decoded later.
//
//   - [Valid] checks an object without a type, to be decoded into a map[string]any.
//   - [Compile] returns a [Plan] for a Go type, and [Plan.Check] checks an object that is to be decoded into it.
//
// Both predict [k8s.io/apimachinery/pkg/util/json], which decodes objects in this module. Its rules are those of
// encoding/json with case-sensitive names: unknown fields are ignored, null is valid for nearly everything, the last of
// duplicate fields is used, and invalid UTF-8 is replaced.
//
// True is certain. False means that only decoding can tell: the text may be invalid, or only unusual. Unusual is what
// no API server sends: values nested deeper than 500, a field of a struct whose name contains an escape, bytes in
// base64 with escapes, an integer of 20 digits, a number out of the range of float64 in an unused place, null for a
// pointer to a type that does not accept it.
//
// Nothing is allocated, except for types with an UnmarshalJSON or UnmarshalText: these are called with the bytes, on a
// temporary value. The types of Kubernetes among them are known, and need that only for unusual texts. A field with an
// unknown such type may occur only once in its object, as the second result might depend on the first. Arrays, maps
// whose keys are not strings, and structs with fields that hide each other have to be decoded, too.
package jsoncheck
