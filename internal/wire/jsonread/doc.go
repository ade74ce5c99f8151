// Package jsonread decodes Kubernetes objects from JSON into the maps of an unstructured.Unstructured, in less time and memory
// than k8s.io/apimachinery/pkg/util/json does it.
//
//   - [Decode] reads an object. Maps and lists have the size they need, and names that come again are stored once.
//   - [DecodeNext] reads the next state of an object, and takes over the parts of the earlier one that have not changed. A part that a
//     program has written to is decoded anew.
//   - [Shares] is what objects of one kind have in common: strings and the text of managed fields, and if wanted equal maps and lists.
//     A write to one of the latter changes several objects, so it is for programs that keep from that.
//
// What comes out is what util/json makes of the same bytes. Where the text is unusual (nested too deep, not in UTF-8) or
// wrong, util/json itself is asked, so its results and its errors are those of this package.
//
// A JSON text does not say beforehand how long a value is, so it costs something to ask whether another object had the same
// one. Which values are looked up depends on their place: a [Shares] learns the names that objects of its kind
// have, in the order in which they come, and samples the hit rate of each place. The names that
// are learned are bounded in number; all that is elsewhere is one place.
package jsonread
