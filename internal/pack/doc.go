// Package pack keeps objects that are much alike in about a twentieth of their size, by delta compression.
//
// The objects of a cluster come in template groups: the pods of a ReplicaSet differ in a name, a few IDs, addresses and times. So an
// object is stored as copies from another object of its group, the base, and the bytes that are new.
//
//	p := pack.New(pack.Config{})
//	x := p.Pack(bytes, hash(ownerUID)) // does not keep bytes
//	...
//	bytes, err := x.AppendTo(buffer[:0])
//
// # Types
//
//	Packer       packs objects; for one kind of object, as a rule         packer.go
//	Packed       an object at rest; unpacks itself, without the packer    packed.go
//	base         an object that others are copied from                    base.go, makebase.go
//	baseIndex    the bytes of a base, with a hash table of their words    index.go
//	baseCache    the bases used last that have an index, an LRU cache     basecache.go, burst.go
//	encoder      writes one object as copies and literals                 encode.go, hex.go; the way back is decode.go
//	fingerprint  some words of an object, to find a base like it          fingerprint.go
//	aging        when the base of a group is replaced                     aging.go
//	sampling     which objects without a group become bases               sampling.go
//	scratch      the bytes of a base that has no index, for readers       scratch.go
//
// # How it works
//
//  1. Pack looks up the base of the object's group. The first object of a group becomes its base. An object without a group is compared by
//     fingerprint with the bases that were used last.
//  2. If the base has an index in a base cache, the encoder uses that. If not, an index is made, which takes as long as packing. It is put
//     into the cache if the next object of the group is likely to come soon (Packer.lookUp).
//  3. The encoder writes the object against the index.
//  4. aging, or sampling for objects without a group, decides whether the object stays as it was written or becomes the next base.
//
// A base is packed as well, against a root: one of a few bases that were not like any other. So it takes at most two steps to unpack an
// object, and one if its base has an index, or is in the scratch from the object before.
//
// # Invariants
//
//   - A Packed never changes. A base never changes but for its index, its place in a cache and its aging.
//   - A root is packed against nothing, and any other base against a root.
//   - A base has an index if and only if a base cache has it, and is in one cache at most.
//   - A base cache has at most maxCount bases, and more than maxSize bytes of indexes only if it has a single base.
//   - Each object has a checksum, by which AppendTo finds damaged bytes and returns [ErrDamaged]. Damaged bytes make it neither panic nor
//     allocate more than 16 MiB or their own length.
//
// # Who waits for whom
//
// Pack and AppendTo may be called by any number of goroutines. Calls of Pack wait for each other only for look-ups and changes of groups and
// caches, under Packer.mu: no object is encoded and no index is made under it. AppendTo takes no lock.
//
// # Memory
//
// Nothing is released by hand. An object holds its base, and a base the bytes of its root. The packer holds the bases in its caches, and
// knows the others by weak pointers. So an object that is kept for long keeps its base and the root of that, and a packer without objects
// keeps up to [Config].CacheBytes. While many objects come, the cache of bases that are not roots may take up to [Config].BurstBytes; bases
// that were not used between two runs of the garbage collector are evicted then (burst.go).
//
// The packed form has no version and may change. It is not for bytes from elsewhere, such as a file.
package pack
