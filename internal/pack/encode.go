package pack

import (
	"encoding/binary"
	"math/bits"
)

// The packed form of an object is a head (its length as a uvarint, then four bytes of checksum), and then sequences. Each
// sequence is some literals, then a run of a kind:
//
//	token     kind in the two high bits, then three bits for the number of literals, then three for the length of the run
//	[uvarint] the number of literals less 7, if the three bits are 7
//	literals
//	[uvarint] the length of the run less 7, if the three bits are 7
//	[operand] depends on the kind
//
// It ends when the object has its length.
const (
	// kindAligned copies from the base, at the distance from the position in the object that the last long copy had: most of the time, two
	// objects of a group run in parallel. It has no operand.
	kindAligned = iota
	// kindBase copies from another position of the base. The operand is the signed distance to where kindAligned would copy from.
	kindBase
	// kindSelf copies from the object itself, as far as it is written. The operand is the distance back.
	kindSelf
	// kindHex is hexadecimal digits, two in a byte: UIDs, container IDs and checksums are most of what is new in an object. A length of
	// hexNone is zero digits, hexUUID is a UUID of 36 characters in 16 bytes, others are pairs of digits. The operand is the bytes.
	kindHex
)

const (
	minAligned = 4 // shorter copies would take more room than they save
	minCopy    = 8 // the length of the words that are hashed

	hexNone  = 0
	hexUUID  = 1
	hexFirst = 2 // stands for hexPairs pairs
	hexPairs = 3

	// longCopy is the length from which on a copy changes the distance of kindAligned. A shorter one is likely to be a word that both
	// objects have in several places.
	longCopy = 32
)

// encoder writes one object. Literals are written when the run behind them is known.
type encoder struct {
	buffer []byte // for the output, from one object to the next
	out    []byte
	src    []byte
	base   []byte
	anchor int // src is written up to here
	diff   int // position in the base less position in src, of the last long copy

	// recent has positions of src, plus one, at which no copy began, by the hash of the word there. Only these need be found
	// again: what was copied from the base is found there.
	recent [1 << recentBits]uint32

	index       baseIndex // for a base that is not cached
	fingerprint fingerprint
	candidates  [2 * maxCandidates]candidate
}

const recentBits = 9

// pack returns src packed against the base of an index, which may be nil.
func (e *encoder) pack(index *baseIndex, src []byte) string { return string(e.packBytes(index, src)) }

// packBytes is pack, but its result is valid only until the next call.
func (e *encoder) packBytes(index *baseIndex, src []byte) []byte {
	e.buffer = appendHead(e.buffer[:0], src)
	if len(src) > maxCopied {
		e.buffer = appendToken(e.buffer, src, kindHex, hexNone)
	} else {
		e.buffer = e.encode(e.buffer, index, src)
	}
	out := e.buffer
	if cap(e.buffer) > 1<<20 {
		e.buffer = nil
	}
	return out
}

// encode appends src to dst, without the head. index may be nil.
func (e *encoder) encode(dst []byte, index *baseIndex, src []byte) []byte {
	e.out, e.src, e.base, e.anchor, e.diff = dst, src, nil, 0, 0
	clear(e.recent[:])
	if index == nil {
		index = &emptyIndex
	}
	e.base = index.bytes
	searched, skipTo := 0, 0 // of the last realign
	for at := 0; at+minCopy <= len(src); {
		word := binary.LittleEndian.Uint64(src[at:])
		if from := at + e.diff; from >= 0 && from+minCopy <= len(e.base) {
			if x := binary.LittleEndian.Uint64(e.base[from:]) ^ word; uint32(x) == 0 {
				at = e.copyAligned(at, from)
				continue
			}
		}
		if at >= searched {
			searched, skipTo = e.realign(at)
		}
		hash := word * hashFactor
		if at >= skipTo {
			from := int(index.table[hash>>index.shift]) * index.stride
			if from+minCopy <= len(e.base) && binary.LittleEndian.Uint64(e.base[from:]) == word {
				at = e.copyBase(at, from)
				searched = 0
				continue
			}
		}
		slot := &e.recent[hash>>(64-recentBits)]
		if from := int(*slot) - 1; from >= 0 && binary.LittleEndian.Uint64(src[from:]) == word {
			at = e.copySelf(at, from)
			continue
		}
		*slot = uint32(at + 1)
		at += step(at - e.anchor)
	}
	e.literals(len(src))
	out := e.out
	e.out, e.src, e.base = nil, nil, nil
	return out
}

// realign looks for the position where src and the base are equal again, if what differs has the same length in both, as times and checksums
// have. Up to there, nothing is looked up in the table of the index, which is large and most of it not in the processor's cache. It returns
// how far it has looked, and the position, which is at if there is none.
func (e *encoder) realign(at int) (searched, position int) {
	const far, word = 96, 8
	src, from := e.src[at:], at+e.diff
	if from < 0 || from > len(e.base) {
		return at + far, at
	}
	base := e.base[from:]
	for n := word; n < far && n+word <= min(len(src), len(base)); n += word {
		if binary.LittleEndian.Uint64(src[n:]) == binary.LittleEndian.Uint64(base[n:]) {
			return at + n + word, at + n
		}
	}
	return at + far, at
}

// step returns how far to go on after this many literals: the more of them, the less likely it is that a copy is found. What is
// stepped over is still copied if a copy that is found behind it can be extended. Steps are odd, to meet the positions in the table.
func step(literals int) int {
	if literals < 32 {
		return 1
	}
	return min(3+(literals>>7)<<1, 15)
}

// copyAligned writes a copy of what is equal in src from at on and in the base from from on, extended to before both, and returns the
// position after it.
func (e *encoder) copyAligned(at, from int) int {
	n := common(e.src[at:], e.base[from:])
	for at > e.anchor && from > 0 && e.src[at-1] == e.base[from-1] {
		at, from, n = at-1, from-1, n+1
	}
	e.sequence(at, kindAligned, n-minAligned)
	e.anchor = at + n
	return e.anchor
}

// copyBase is copyAligned for a position of the base that was found in the index.
func (e *encoder) copyBase(at, from int) int {
	n := common(e.src[at:], e.base[from:])
	for at > e.anchor && from > 0 && e.src[at-1] == e.base[from-1] {
		at, from, n = at-1, from-1, n+1
	}
	diff := from - at
	e.sequence(at, kindBase, n-minCopy)
	e.out = binary.AppendVarint(e.out, int64(diff-e.diff))
	if n >= longCopy {
		e.diff = diff
	}
	e.anchor = at + n
	return e.anchor
}

// copySelf is copyAligned for a copy from src itself.
func (e *encoder) copySelf(at, from int) int {
	n := common(e.src[at:], e.src[from:])
	for at > e.anchor && from > 0 && e.src[at-1] == e.src[from-1] {
		at, from, n = at-1, from-1, n+1
	}
	e.sequence(at, kindSelf, n-minCopy)
	e.out = binary.AppendUvarint(e.out, uint64(at-from))
	e.anchor = at + n
	return e.anchor
}

// sequence writes the literals up to end, and the run behind them without its operand.
func (e *encoder) sequence(end int, kind byte, length int) {
	e.hexDigits(end)
	e.token(e.src[e.anchor:end], kind, length)
}

// literals writes the literals up to end, with no run behind them.
func (e *encoder) literals(end int) {
	if e.hexDigits(end); e.anchor < end {
		e.token(e.src[e.anchor:end], kindHex, hexNone)
		e.anchor = end
	}
}

func (e *encoder) token(literals []byte, kind byte, length int) {
	e.out = appendToken(e.out, literals, kind, length)
}

func appendToken(dst, literals []byte, kind byte, length int) []byte {
	n := len(literals)
	dst = append(dst, kind<<6|byte(min(n, 7))<<3|byte(min(length, 7)))
	if n >= 7 {
		dst = binary.AppendUvarint(dst, uint64(n-7))
	}
	dst = append(dst, literals...)
	if length >= 7 {
		dst = binary.AppendUvarint(dst, uint64(length-7))
	}
	return dst
}

// hexDigits writes the literals up to the last digits among them that are shorter as a run of kindHex.
func (e *encoder) hexDigits(end int) {
	const shortest = 2 * hexPairs
	if end-e.anchor < shortest {
		return
	}
	for at := e.anchor; at+shortest <= end; {
		n := hexLength(e.src[at:end])
		switch {
		case n == 8 && isUUID(e.src[at:end]):
			e.token(e.src[e.anchor:at], kindHex, hexUUID)
			uuid := e.src[at : at+36]
			for _, part := range [...][2]int{{0, 8}, {9, 13}, {14, 18}, {19, 23}, {24, 36}} {
				e.out = appendPairs(e.out, uuid[part[0]:part[1]])
			}
			at += 36
			e.anchor = at
		case n >= shortest:
			n &^= 1
			e.token(e.src[e.anchor:at], kindHex, n/2-hexPairs+hexFirst)
			e.out = appendPairs(e.out, e.src[at:at+n])
			at += n
			e.anchor = at
		default:
			at += n + 1
		}
	}
}

// common returns the length of the common prefix of a and b.
func common(a, b []byte) int {
	if len(a) > len(b) {
		a = a[:len(b)]
	}
	b = b[:len(a)]
	n := 0
	const block = 128 // which the runtime compares several words at a time
	for n+block <= len(a) && string(a[n:n+block]) == string(b[n:n+block]) {
		n += block
	}
	for ; n+8 <= len(a); n += 8 {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}
