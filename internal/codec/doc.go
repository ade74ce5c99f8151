// Package codec makes objects of bytes, and keeps objects as bytes. All reflectors of an informer share one [Codec].
//
// # Types
//
//	Codec    how an informer makes what it stores of what comes     New with a Config
//	format   one encoding of objects of one Go type                 protobuf.go, json.go, cbor.go
//	packed   an object at rest: compressed bytes, with its identity; the object.AtRest of this module
//
// # How it is made
//
//	raw bytes ─▶ format.filter (Keep, Drop) ─▶ live:   format.next, beside what is stored ─▶ the object
//	                                        └▶ packed: format.atRest ─▶ *packed, uncompressed
//	                                                   Compress, when it is stored ─▶ *packed
//
// Load is called with the bytes of an object, Admit with an object that came decoded. Both return what is stored. A transform sees a
// decoded object, and its result is packed afterwards: see [Codec.Transformer].
//
// # Invariants
//
//   - What Load returns says what the bytes say: a format that cannot be certain leaves the bytes to apimachinery's decoder, so that
//     results and errors are its own.
//   - Nothing that can be written to is in two objects, unless Config.Shared is set. Load takes over parts of the stored state only
//     after it has compared them with the bytes.
//   - Holds and Equal report true only if nothing has written to the stored object.
//   - A packed object can be decoded: that was checked when it came. It never changes when others have seen it.
//   - Copy of a packed object belongs to the caller. Shared of it may be given to several handlers, and to no reader of the store.
//
// # Blocking
//
// Load, Admit, Holds and Equal are safe for concurrent use. Readers of packed objects are limited to two per processor
// that decode concurrently. Handlers do not wait for readers.
//
// # Another encoding
//
// An encoding is a file with an implementation of format, and a line in [New]. Package rest has an interface of the same
// name for what comes before: the items of a list, the frames of a watch and the metadata of an object.
package codec
