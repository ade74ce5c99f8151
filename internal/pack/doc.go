// Package pack keeps objects that come in families in a twentieth of their size.
//
// Objects of a cluster come in families: the pods of a ReplicaSet differ in a name, a few IDs, addresses and times.
// So an object is written as copies from another one of its family, and what is new.
//
//   - [Packer] packs objects. It needs their bytes, in any form that repeats (protobuf as it was received, JSON), and
//     a number that objects of one family have in common.
//   - [Packed] is an object at rest. It unpacks itself: the packer is not needed for that.
//   - [Stats] say what it was worth.
//
// How it works:
//
//   - The first object of a family becomes its reference. A reference has a window, which is its bytes and a table of
//     where each word stands in them; from there the others are copied (encoder). Unpacking is a loop of copies
//     (decode).
//   - A reference is packed as well: against a root, which is one of a few references that were not like any other.
//     So it takes two steps at most to unpack an object, and one if its reference has a window or lies on the bench
//     from the object before.
//   - Windows are on two shelves of bounded size, the last used first. When an object comes whose reference has no
//     window, one is made of the reference, and put on a shelf if the next object of the family is likely to come
//     soon.
//   - When objects take more than they should, one of them becomes the next reference of the family (wear).
//
// A packer belongs to one kind of object, mostly:
//
//	p := pack.New(pack.Config{})
//	x := p.Pack(bytes, hash(ownerUID)) // does not keep bytes
//	...
//	bytes, err := x.AppendTo(buffer[:0])
//
// What to know:
//
//   - Pack and AppendTo may be called by many goroutines. They wait for each other only to look up a reference.
//   - Nothing has to be released. An object holds its reference, the packer holds what is on its shelves, and the
//     garbage collector takes the rest. So one object that is kept for long keeps its reference, and the root of that; and a
//     packer without objects keeps up to [Config].WindowBytes.
//   - Each object has a checksum. One that was damaged is told from a good one, and damaged bytes can make AppendTo
//     neither panic nor allocate without bound.
//   - It is not for bytes that came from elsewhere: the form has no version, and may change.
package pack
