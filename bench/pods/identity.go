package pods

import (
	"strconv"
	"time"
)

// A field is a text that differs between pods of one shape.
//
// Invariant: a field has the same length in every pod, and so have all pods of a shape. That lets an [Encoder] write
// a pod by copying an example of its shape, and lets a server say how long a list is before it has written it.
type field int

const (
	ownerNumber field = iota // of the ReplicaSet
	ownerHash                // of its pod template
	ownerUID
	podSuffix
	podUID
	tokenSuffix // of the volume with the service account's token
	nodeNumber
	hostIP
	podIP
	version // of the resource
	containerID
	sidecarID
	fields // how many there are
)

var lengths = [fields]int{
	ownerNumber: 5,
	ownerHash:   10,
	ownerUID:    36,
	podSuffix:   5,
	podUID:      36,
	tokenSuffix: 5,
	nodeNumber:  4,
	hostIP:      15,
	podIP:       15,
	version:     10,
	containerID: 64,
	sidecarID:   64,
}

// A moment is a time that differs between pods of one shape.
type moment int

const (
	created moment = iota
	started        // the containers
	ready
	moments // how many there are
)

// identity is what differs between pods of one shape.
type identity struct {
	text  [fields][]byte
	times [moments]int64 // Unix seconds

	room [300]byte // for text
}

// newIdentity has room for each field.
func newIdentity() *identity {
	id := &identity{}
	rest := id.room[:]
	for f, n := range lengths {
		id.text[f], rest = rest[:n:n], rest[n:]
	}
	return id
}

func (id *identity) string(f field) string { return string(id.text[f]) }

const (
	replicas = 20   // pods of a ReplicaSet
	nodes    = 4000 // in the cluster

	// firstTime is the creation of pod 0.
	firstTime = 1_767_225_600 // 2026-01-01T00:00:00Z

	// firstVersion is the version of pod 0.
	firstVersion = 4_000_000_000
)

// fill makes this the identity of pod i. Pods of a ReplicaSet have the fields of their owner in common.
func (id *identity) fill(i int) {
	owner := i / replicas
	r := random(owner)<<1 | 1
	decimal(id.text[ownerNumber], owner)
	r.letters(id.text[ownerHash])
	r.uuid(id.text[ownerUID])

	r = random(i) << 1
	r.letters(id.text[podSuffix])
	r.letters(id.text[tokenSuffix])
	r.uuid(id.text[podUID])
	r.hex(id.text[containerID])
	r.hex(id.text[sidecarID])
	node := r.next() % nodes
	decimal(id.text[nodeNumber], int(node))
	address(id.text[hostIP], 172, node)
	address(id.text[podIP], 100, uint64(i))
	decimal(id.text[version], int(Version(i, 0)))

	id.times[created] = firstTime + int64(i)
	id.times[started] = id.times[created] + 2
	id.times[ready] = id.times[created] + 11
}

// change makes this the identity after a change. Zero means none.
func (id *identity) change(n int) {
	if n == 0 {
		return
	}
	r := random(n)<<1 ^ 0x5bd1e995
	r.hex(id.text[containerID])
	r.hex(id.text[sidecarID])
	decimal(id.text[version], int(Version(0, n)))
	id.times[started] = firstTime + 1_000_000 + int64(n)
	id.times[ready] = id.times[started] + 9
}

// random is splitmix64: quick, and the same in every version of Go.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// letters are those that Kubernetes takes for generated names: no vowels, so that no words come out.
func (r *random) letters(b []byte) {
	const safe = "bcdfghjklmnpqrstvwxz2456789"
	bits := r.next()
	for i := range b {
		b[i] = safe[bits%uint64(len(safe))]
		bits /= uint64(len(safe))
	}
}

func (r *random) hex(b []byte) {
	const digits = "0123456789abcdef"
	var bits uint64
	for i := range b {
		if i%16 == 0 {
			bits = r.next()
		}
		b[i] = digits[bits&15]
		bits >>= 4
	}
}

func (r *random) uuid(b []byte) {
	r.hex(b)
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	b[14] = '4'
}

// decimal writes n with leading zeros.
func decimal(b []byte, n int) {
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = '0' + byte(n%10)
		n /= 10
	}
}

// address writes an IP whose parts all have three digits, for the sake of its length.
func address(b []byte, first byte, n uint64) {
	const low, count = 100, 156
	out := strconv.AppendUint(b[:0], uint64(first), 10)
	for _, part := range [3]uint64{n / count / count % count, n / count % count, n % count} {
		out = append(out, '.')
		out = strconv.AppendUint(out, low+part, 10)
	}
}

func appendTime(dst []byte, seconds int64) []byte {
	return time.Unix(seconds, 0).UTC().AppendFormat(dst, time.RFC3339)
}
