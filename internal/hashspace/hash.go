package hashspace

const (
	fnvOffset = 0xcbf29ce484222325
	fnvPrime  = 0x100000001b3
)

// FNV is the hash that the API server puts on the value of a shard selector's field: FNV-1a with 64 bits, over the bytes
// and nothing else. It allocates nothing.
//
// Values that differ in their last bytes only (tenant-1, tenant-2) come to lie close together: the last byte reaches bits
// 40 to 48 and no higher. Equal ranges of the space do not balance them; see Quantiles.
func FNV(value string) uint64 {
	h := uint64(fnvOffset)
	for i := range len(value) {
		h ^= uint64(value[i])
		h *= fnvPrime
	}
	return h
}

// Mixed is FNV followed by a finaliser that lets each bit of the input reach each bit of the result. It is for keys that
// only the client hashes, such as namespace/name, and spreads sequential names evenly.
func Mixed(value string) uint64 {
	h := FNV(value)
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	return h
}
