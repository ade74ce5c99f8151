// Package protoread decodes Kubernetes' protobuf into the Go types of k8s.io/api, in less time and memory than the code that is
// generated for them.
//
//   - [Compile] makes a [Plan] of a type, from the protobuf tags of its fields.
//   - [Plan.Decode] reads a message. Strings that stand in no other object share one piece of memory, lists have the length
//     they need, and what was told to be left out is passed over.
//   - [Shares] is what objects of one kind have in common: equal strings, lists, maps and sub-messages of several objects are then
//     the same in memory, and are not decoded again. Whoever changes one of the objects would change others, so it is for
//     objects that nobody changes.
//
// What comes out is what the generated Unmarshal makes of the same bytes. Where the bytes are unusual (a list in two pieces, a
// field that comes twice, a number with too many digits) or wrong, Unmarshal itself is asked, so its results and its
// errors are those of this package. A type that has a form of its own, such as a Quantity or a Time, is read by its Unmarshal
// as well.
package protoread
