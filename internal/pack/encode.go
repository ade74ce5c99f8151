package pack

import (
	"encoding/binary"
	"math/bits"
)

// The packed form of an object is a head (its length as a uvarint, then four bytes of checksum), and then sequences. Each
// sequence is some literals, then a run of a kind:
//
//	token     kind in the two high bits, then three bits for the number of literals, then three for the length of the run
//	[uvarint] what the literals are more than 7, if the three bits say 7
//	literals
//	[uvarint] what the run is more than 7, if the three bits say 7
//	[operand] as the kind has it
//
// It ends where the object has its length.
const (
	// kindAhead copies from the reference, from the place that stands to the present one as those of the last long copy
	// stood to each other: two objects of a family mostly run side by side. It has no operand.
	kindAhead = iota
	// kindReference copies from another place of the reference. The operand is the signed distance to where kindAhead
	// would copy from.
	kindReference
	// kindSelf copies from the object itself, as far as it is written. The operand is the distance back.
	kindSelf
	// kindHex is digits, two in a byte, since UIDs, container IDs and checksums are most of what is new in an object.
	// A length of hexNone is no digit, hexUUID is a UUID of 36 letters in 16 bytes, others are pairs. The operand is
	// the bytes.
	kindHex
)

const (
	minAhead = 4 // shorter copies would take more room than they save
	minCopy  = 8 // what a hash finds

	hexNone  = 0
	hexUUID  = 1
	hexFirst = 2 // stands for hexPairs pairs
	hexPairs = 3

	// longCopy is when a copy moves the place where kindAhead goes on. A shorter one is likely to be a word that both
	// objects have in several places.
	longCopy = 32
)

// encoder writes one object. Its literals wait until the run behind them is known.
type encoder struct {
	room   []byte // for what is written, from one object to the next
	out    []byte
	src    []byte
	ref    []byte
	anchor int // src is written up to here
	diff   int // place in the reference less place in src, of the last long copy

	// recent has places of src that began no copy, by the hash of what stands there. Only these are worth finding
	// again: what was copied from the reference is found there. Places are those plus one.
	recent [1 << recentBits]uint32

	own    window // for a reference that goes on no shelf
	sample sample
	among  [2 * maxCandidates]candidate
}

const recentBits = 9

// pack returns src packed against w, which may be nil, in memory of its own.
func (e *encoder) pack(w *window, src []byte) string { return string(e.packBytes(w, src)) }

// packBytes is the same, in memory that the next call uses again.
func (e *encoder) packBytes(w *window, src []byte) []byte {
	e.room = appendHead(e.room[:0], src)
	if len(src) > maxCopied {
		e.room = appendToken(e.room, src, kindHex, hexNone)
	} else {
		e.room = e.encode(e.room, w, src)
	}
	out := e.room
	if cap(e.room) > 1<<20 {
		e.room = nil
	}
	return out
}

// encode writes src behind dst, without the head. w may be nil.
func (e *encoder) encode(dst []byte, w *window, src []byte) []byte {
	e.out, e.src, e.ref, e.anchor, e.diff = dst, src, nil, 0, 0
	clear(e.recent[:])
	if w == nil {
		w = &noWindow
	}
	e.ref = w.bytes
	looked, calm := 0, 0 // it was looked up to here for where they run side by side again, which is here
	for at := 0; at+minCopy <= len(src); {
		word := binary.LittleEndian.Uint64(src[at:])
		if from := at + e.diff; from >= 0 && from+minCopy <= len(e.ref) {
			if x := binary.LittleEndian.Uint64(e.ref[from:]) ^ word; uint32(x) == 0 {
				at = e.copyAhead(at, from)
				continue
			}
		}
		if at >= looked {
			looked, calm = e.sideBySide(at)
		}
		hash := word * hashFactor
		if at >= calm {
			from := int(w.table[hash>>w.shift]) * w.stride
			if from+minCopy <= len(e.ref) && binary.LittleEndian.Uint64(e.ref[from:]) == word {
				at = e.copyReference(at, from)
				looked = 0
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
	e.out, e.src, e.ref = nil, nil, nil
	return out
}

// sideBySide looks for where src and the reference are equal again, if what differs between them has the same length in both, as
// times and checksums have. Up to there nothing is looked up in the table, which is large and mostly not in the processor's
// cache. It returns how far it has looked, and the place, which is at if there is none.
func (e *encoder) sideBySide(at int) (looked, place int) {
	const far, word = 96, 8
	src, from := e.src[at:], at+e.diff
	if from < 0 || from > len(e.ref) {
		return at + far, at
	}
	ref := e.ref[from:]
	for n := word; n < far && n+word <= min(len(src), len(ref)); n += word {
		if binary.LittleEndian.Uint64(src[n:]) == binary.LittleEndian.Uint64(ref[n:]) {
			return at + n + word, at + n
		}
	}
	return at + far, at
}

// step is how far to go on after this many literals: the more of them, the less likely it is that something is found.
// What is stepped over is still copied if it belongs to what is found behind. Steps are odd, to meet the places in
// the table.
func step(literals int) int {
	if literals < 32 {
		return 1
	}
	return min(3+(literals>>7)<<1, 15)
}

// copyAhead copies what is equal from there on, and returns where it ends.
func (e *encoder) copyAhead(at, from int) int {
	n := common(e.src[at:], e.ref[from:])
	for at > e.anchor && from > 0 && e.src[at-1] == e.ref[from-1] {
		at, from, n = at-1, from-1, n+1
	}
	e.sequence(at, kindAhead, n-minAhead)
	e.anchor = at + n
	return e.anchor
}

func (e *encoder) copyReference(at, from int) int {
	n := common(e.src[at:], e.ref[from:])
	for at > e.anchor && from > 0 && e.src[at-1] == e.ref[from-1] {
		at, from, n = at-1, from-1, n+1
	}
	diff := from - at
	e.sequence(at, kindReference, n-minCopy)
	e.out = binary.AppendVarint(e.out, int64(diff-e.diff))
	if n >= longCopy {
		e.diff = diff
	}
	e.anchor = at + n
	return e.anchor
}

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

// sequence writes the literals up to end, and the run behind them but for its operand.
func (e *encoder) sequence(end int, kind byte, length int) {
	e.hexDigits(end)
	e.token(e.src[e.anchor:end], kind, length)
}

// literals writes those that have no run behind them.
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

// hexDigits writes the literals up to the last digits among them that are worth a run.
func (e *encoder) hexDigits(end int) {
	const worth = 2 * hexPairs
	if end-e.anchor < worth {
		return
	}
	for at := e.anchor; at+worth <= end; {
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
		case n >= worth:
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

// common returns how long a and b begin alike.
func common(a, b []byte) int {
	if len(a) > len(b) {
		a = a[:len(b)]
	}
	b = b[:len(a)]
	n := 0
	const block = 128 // is compared by the runtime, several words at a time
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
