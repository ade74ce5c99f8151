package cache

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// table is the one store of this package: what ThreadSafeStore, Store, Indexer and the typed views of them are made of.
//
// Under the lock only the table's own code runs, and it neither waits nor calls anyone: index functions run before a
// writer takes it, and a reader that wants many objects only takes a view under it and copies afterwards. So readers do
// not hold up the writer, however long their lists are, and the writer holds readers up for about a microsecond.
type table struct {
	mu spinLock
	contents
	// writing says when something is written that a Get can see, which takes no lock; reading is the keys of contents.
	writing writing
	reading atomic.Pointer[keyTable]
	sharing sharing
	// version is the resource version up to which the table holds everything.
	version string
	onWrite GaugeMetric // of the version; nil if nobody counts
	// reporting is how many writes have asked for a report since the one that reports last looked.
	reporting atomic.Int64
	// indexers changes under mu, and can be read without.
	indexers atomic.Pointer[indexSet]
	// ready is how many of the indexes readers may use; those behind are being filled.
	ready int
	// adding is held while indexes are filled.
	adding sync.Mutex
	// announcing, if it is not nil, is held when indexers changes. Who holds it can count on them.
	announcing *sync.Mutex
}

func newTable(indexers Indexers) *table {
	t := &table{}
	t.sharing.turns = newTurns()
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
	t.share, t.writes = &t.sharing, &t.writing
	t.reading.Store(t.keys)
}

// stored is the object under a key, or nil.
func (t *table) stored(key string) any {
	obj, _ := t.get(key)
	return obj
}

// get returns the object under a key. It looks without the lock, and looks again if anything was written meanwhile: so readers do
// not keep each other or the writer waiting, and see all of what is written in one step or nothing.
func (t *table) get(key string) (any, bool) {
	for try := range spins + yields {
		if count, calm := t.writing.look(); calm {
			var w boxed
			e := t.reading.Load().find(key)
			if e != nil {
				w = e.obj.read()
			}
			if t.writing.still(count) {
				return w.object(), e != nil
			}
		}
		tryLater(try)
	}
	return t.getLocked(key)
}

// getLocked is get while much is written.
func (t *table) getLocked(key string) (any, bool) {
	t.mu.rlock()
	defer t.mu.RUnlock()
	e := t.keys.find(key)
	if e == nil {
		return nil, false
	}
	return e.obj.read().object(), true
}

// getBytes is get for a key that is no string, and need not become one.
func (t *table) getBytes(key []byte) (any, bool) {
	return t.get(unsafe.String(unsafe.SliceData(key), len(key))) // which keeps nothing of it
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

// bookmark notes a version that no object has.
func (t *table) bookmark(version string) {
	t.mu.lock()
	t.version = version
	t.mu.Unlock()
	t.report()
}

// report counts the version, without the lock. One goroutine reports at a time, and goes on for those that come meanwhile, so
// that the version that was set last is the one that is counted last.
func (t *table) report() {
	if t.onWrite == nil || t.reporting.Add(1) != 1 {
		return
	}
	for seen, done := int64(1), false; !done; done = t.reporting.CompareAndSwap(seen, 0) {
		seen = t.reporting.Load()
		countVersion(t.onWrite, t.lastVersion())
	}
}
