// Package jsonread decodes Kubernetes objects from JSON into the maps of an unstructured.Unstructured, in less time and
// memory than k8s.io/apimachinery/pkg/util/json.
//
//   - [Decode] decodes an object. Maps and lists have the size they need, and repeated names are stored once.
//   - [DecodeNext] decodes the next state of an object, and reuses the parts of the previous one that have not changed.
//     A part that a program has written to is decoded again.
//   - [Shares] holds what objects of one kind share: strings and the text of managed fields, and optionally equal maps
//     and lists. A write to one of the latter changes several objects, so it is for programs that do not write to them.
//
// The result is that of util/json for the same bytes. If the text is unusual (nested too deep, not in UTF-8) or
// invalid, util/json is called, so its results and its errors are those of this package.
//
// A JSON text does not contain the lengths of values, so finding out whether another object had the same value has a
// cost. Whether it pays off depends on the place: a [Shares] learns the names that objects of its kind have, in their
// order, and samples the hit rate of each place. The number of learned names is bounded; everything else is one place.
package jsonread
