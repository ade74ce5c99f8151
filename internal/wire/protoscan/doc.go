// Package protoscan walks over protobuf messages without knowing their types, and over Kubernetes' envelope around them.
//
//   - [Message] steps through the fields of a message that is in memory.
//   - [Envelope] takes the outer message off an object: "k8s\x00", then a runtime.Unknown with the type and the bytes.
//   - [ListReader] reads a list from a stream, an item at a time.
//   - [FrameReader] reads frames that begin with their length, as a watch sends them.
//
// Lengths are not trusted: memory grows with the bytes that arrive, and never beyond a limit.
package protoscan
