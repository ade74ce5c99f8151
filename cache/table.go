package cache

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// table is the one store of this package: what ThreadSafeStore, Store, Indexer and the typed views of them are made of.
//
// Under its lock only the table's own code runs, and it neither waits nor calls anyone: index functions run before a
// writer takes it, and a reader that wants many objects only takes a view under it and copies afterwards. So readers do
// not hold up the writer, however long their lists are, and the writer holds readers up for about a microsecond. Get,
// which is called most, does not even take it: the keys have locks of their own; see directory.
type table struct {
	mu sync.RWMutex
	contents
	guard   guard
	seed    maphash.Seed // of all contents
	sharing sharing
	// version is the resource version up to which the table holds everything.
	version string
	onWrite GaugeMetric // of the version; nil if nobody counts
	// indexers changes under mu, and can be read without.
	indexers atomic.Pointer[indexSet]
	// ready is how many of the indexes readers may use; those behind are being filled.
	ready int
	// adding is held while indexes are filled.
	adding sync.Mutex
}

func newTable(indexers Indexers) *table {
	t := &table{seed: maphash.MakeSeed()}
	set := newIndexSet(indexers)
	t.indexers.Store(set)
	t.ready = len(set.funcs)
	t.adopt(newContents(t.seed, len(set.funcs), 0))
	return t
}

// adopt makes contents that were built aside those of the table. Their parts have the oldest of stamps, so they are
// copied once if readers are there, and changed in place if not.
func (t *table) adopt(c *contents) {
	t.guard.lockAll()
	defer t.guard.unlockAll()
	c.keys.guard, c.share = &t.guard, &t.sharing
	t.contents = *c
}

// get returns the object under a key.
func (t *table) get(key string) (any, bool) {
	shard := shardOf(t.seed, key)
	l := &t.guard.locks[shard]
	l.Lock()
	e := t.keys.shards[shard].m[key]
	if e == nil {
		l.Unlock()
		return nil, false
	}
	obj := e.obj // before the lock is given back: a writer may put another one there
	l.Unlock()
	return obj, true
}

func (t *table) lastVersion() string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.version
}

// setVersion notes a version under the lock.
func (t *table) setVersion(version string) {
	t.version = version
	if t.onWrite != nil {
		countVersion(t.onWrite, version)
	}
}

// bookmark notes a version that no object has.
func (t *table) bookmark(version string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.setVersion(version)
}
