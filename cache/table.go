package cache

import (
	"sync"
	"sync/atomic"
)

// table is the one store of this package: what ThreadSafeStore, Store, Indexer and the typed views of them are made of.
//
// Under the lock only the table's own code runs, and it neither waits nor calls anyone: index functions run before a
// writer takes it, and a reader that wants many objects only takes a view under it and copies afterwards. So readers do
// not hold up the writer, however long their lists are, and the writer holds readers up for about a microsecond.
type table struct {
	mu spinLock
	contents
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
	t := &table{}
	set := newIndexSet(indexers)
	t.indexers.Store(set)
	t.ready = len(set.funcs)
	t.adopt(newContents(len(set.funcs), 0))
	return t
}

// adopt makes contents that were built aside those of the table. Their parts have the oldest of stamps, so they are
// copied once if readers are there, and changed in place if not.
func (t *table) adopt(c *contents) {
	t.contents = *c
	t.share = &t.sharing
}

// get returns the object under a key.
func (t *table) get(key string) (any, bool) {
	t.mu.rlock()
	r := t.byKey.m[key]
	t.mu.RUnlock()
	return r.obj, r.e != nil
}

// getBytes is get for a key that is no string, and need not become one.
func (t *table) getBytes(key []byte) (any, bool) {
	t.mu.rlock()
	r := t.byKey.m[string(key)]
	t.mu.RUnlock()
	return r.obj, r.e != nil
}

// size is how many objects there are.
func (t *table) size() int {
	t.mu.rlock()
	defer t.mu.RUnlock()
	return t.rows.n
}

func (t *table) lastVersion() string {
	t.mu.rlock()
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
	t.mu.lock()
	defer t.mu.Unlock()
	t.setVersion(version)
}
