// Package protoread decodes Kubernetes' protobuf into the Go types of k8s.io/api, in less time and memory than the code that is
// generated for them.
//
//   - [Compile] makes a [Plan] of a type, from the protobuf tags of its fields.
//   - [Plan.Decode] reads a message. Lists have the length they need, and what was told to be left out is passed over.
//   - [Plan.DecodeNext] reads the next state of an object, and takes over the parts of the earlier one that have not changed. They are
//     compared with the bytes, so a part that a program has written to is decoded anew. [Plan.Same] compares a whole object.
//   - [Shares] is what objects of one kind have in common: strings and the text of managed fields, and if wanted equal lists, maps and
//     sub-messages. A write to one of the latter changes several objects, so it is for programs that keep from that.
//
// What comes out is what the generated Unmarshal makes of the same bytes. Where the bytes are unusual (a list in two pieces, a
// field that comes twice, a number with too many digits) or wrong, Unmarshal itself is asked, so its results and its
// errors are those of this package. A type that has a form of its own, such as a Quantity or a Time, is read by its Unmarshal
// as well.
package protoread
