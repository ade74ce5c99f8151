// Package protoread decodes Kubernetes' protobuf into the Go types of k8s.io/api, in less time and memory than their
// generated code.
//
//   - [Compile] returns a [Plan] for a type, from the protobuf tags of its fields.
//   - [Plan.Decode] decodes a message. Lists have the length they need, and dropped fields are skipped.
//   - [Plan.DecodeNext] decodes the next state of an object, and reuses the parts of the previous one that have not
//     changed. They are compared with the bytes, so a part that a program has written to is decoded again. [Plan.Same]
//     compares a whole object.
//   - [Shares] holds what objects of one kind share: strings and the text of managed fields, and optionally equal
//     lists, maps and sub-messages. A write to one of the latter changes several objects, so it is for programs that do
//     not write to them.
//
// The result is that of the generated Unmarshal for the same bytes. If the bytes are unusual (a list in two pieces, a
// duplicate field, a number with too many digits) or invalid, Unmarshal is called, so its results and its errors are
// those of this package. A type with its own encoding, such as a Quantity or a Time, is decoded by its Unmarshal as
// well.
package protoread
