package cache

import (
	"hash/maphash"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/protoread"
)

// traces remember how the objects of an informer were decoded, so that the next state of each takes less. They are found by UID, which
// is the same in no two clusters. If the hashes of two are equal, each only forgets what the other has left there.
//
// A trace does not hold its object. Those of objects that are gone are taken out when there are many.
type traces struct {
	seed maphash.Seed
	mu   sync.Mutex
	m    map[uint64]protoread.Trace
	most int // with so many, it is time to look for those that are gone
}

// fewTraces is how many there may be before any are taken out.
const fewTraces = 256

func newTraces() *traces {
	return &traces{seed: maphash.MakeSeed(), m: map[uint64]protoread.Trace{}, most: fewTraces}
}

func (t *traces) hash(uid types.UID) uint64 { return maphash.String(t.seed, string(uid)) }

func (t *traces) get(hash uint64) protoread.Trace {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m[hash]
}

func (t *traces) put(hash uint64, trace protoread.Trace) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[hash] = trace
	if len(t.m) > t.most {
		t.sweepLocked()
	}
}

// sweep takes out those of objects that are gone. traces may be nil.
func (t *traces) sweep() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweepLocked()
}

func (t *traces) sweepLocked() {
	alive := 0
	for _, trace := range t.m {
		if trace.Alive() {
			alive++
		}
	}
	kept := make(map[uint64]protoread.Trace, alive) // a map does not give its room back
	for hash, trace := range t.m {
		if trace.Alive() {
			kept[hash] = trace
		}
	}
	t.m, t.most = kept, max(2*len(kept), fewTraces)
}
