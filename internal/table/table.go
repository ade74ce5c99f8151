package table

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// Config configures a [Table]. The zero value is a table without indexes.
type Config struct {
	// Indexes are the indexes of the table. Their names must differ.
	Indexes []Index
	// OwnerIndex, if not nil, is an index in which each object has one value: the owner of its key, which Step.Owner names.
	// Its function is called by Like, and not when an object is written.
	OwnerIndex *Index
	// Decode returns the object that index functions see for one that is stored. It is called at most once for each object
	// that is written. If nil, they see objects as they are stored.
	Decode func(stored any) (any, error)
	// IndexError returns the error that reports that an index function has failed for a key. If nil, it is a plain error
	// that names the key and the index.
	IndexError func(key, index string, err error) error
	// OnVersion, if not nil, is called with the version of the table after it has changed. Calls do not overlap, and the
	// last call has the last version; versions in between may be skipped.
	OnVersion func(version string)
	// IndexMu, if not nil, is locked while AddIndexes makes new indexes known to writers. A writer that holds it can rely on
	// Indexes.
	IndexMu *sync.Mutex
}

// Table is an indexed store of objects by key, for many readers and writers. The package comment describes how it is made.
//
// Only code of this package runs under its lock, and it neither blocks nor calls other code: index functions are called
// before a writer takes the lock, and a reader of many objects takes a view under the lock and copies it afterwards.
type Table struct {
	mu spinRWMutex
	contents
	// seq is the seqlock of Get, and lookup the keys of contents, for Get.
	seq    seqlock
	lookup atomic.Pointer[keyTable]
	epochs epochs
	// version is the version up to which the table has everything.
	version   string
	onVersion func(version string)
	// reports is the number of calls of ReportVersion since the goroutine that reports has last read the version.
	reports atomic.Int64
	// set is written under mu, and read without it.
	set atomic.Pointer[IndexSet]
	// ready is the number of indexes that readers may use. AddIndexes is filling the others.
	ready int
	// adding is held by AddIndexes.
	adding  sync.Mutex
	indexMu *sync.Mutex // Config.IndexMu
}

// New returns an empty table. It panics if two indexes have the same name.
func New(config Config) *Table {
	set := &IndexSet{decode: config.Decode, fail: config.IndexError}
	indexes := config.Indexes
	if config.OwnerIndex != nil {
		set.owned = true
		indexes = append([]Index{*config.OwnerIndex}, indexes...)
	}
	set, err := set.with(indexes)
	if err != nil {
		panic(err)
	}
	t := &Table{onVersion: config.OnVersion, indexMu: config.IndexMu}
	t.epochs.copies = newSemaphore()
	t.set.Store(set)
	t.ready = set.Len()
	t.adopt(newContents(set.Len(), 0))
	return t
}

// adopt makes c, which was built aside, the contents of the table. All parts of c have epoch 0. They are copied once by
// writes if there are views, and changed in place if not.
func (t *Table) adopt(c *contents) {
	t.contents = *c
	t.contents.epochs, t.contents.seq = &t.epochs, &t.seq
	t.lookup.Store(t.keys)
}

// Indexes returns the indexes of the table, including those that AddIndexes is filling.
func (t *Table) Indexes() *IndexSet { return t.set.Load() }

// Get returns the object of a key.
func (t *Table) Get(key string) (any, bool) {
	for try := range spins + yields {
		if seq, ok := t.seq.beginRead(); ok {
			var w words
			e := t.lookup.Load().find(key)
			if e != nil {
				w = e.obj.load()
			}
			if t.seq.unchanged(seq) {
				return w.value(), e != nil
			}
		}
		backOff(try)
	}
	return t.getLocked(key)
}

// getLocked is Get under the read lock, for a time with many writes.
func (t *Table) getLocked(key string) (any, bool) {
	t.mu.rlock()
	defer t.mu.RUnlock()
	e := t.keys.find(key)
	if e == nil {
		return nil, false
	}
	return e.obj.load().value(), true
}

// GetBytes is Get for a key in a byte slice, from which it does not allocate a string.
func (t *Table) GetBytes(key []byte) (any, bool) {
	return t.Get(unsafe.String(unsafe.SliceData(key), len(key))) // Get does not keep the string
}

// Len returns the number of objects.
func (t *Table) Len() int {
	t.mu.rlock()
	defer t.mu.RUnlock()
	return t.rows.n
}

// Version returns the version up to which the table has everything: the last one that a write has set.
func (t *Table) Version() string {
	t.mu.rlock()
	defer t.mu.RUnlock()
	return t.version
}

// SetVersion sets the version without another write.
func (t *Table) SetVersion(version string) {
	t.mu.lock()
	t.version = version
	t.mu.Unlock()
	t.ReportVersion()
}

// ReportVersion calls Config.OnVersion. All methods that set a version call it, except Commit, whose caller calls it when
// it has released its own locks.
//
// One goroutine at a time reports, also on behalf of those that call meanwhile, so that the version that was set last is
// reported last.
func (t *Table) ReportVersion() {
	if t.onVersion == nil || t.reports.Add(1) != 1 {
		return
	}
	for seen, done := int64(1), false; !done; done = t.reports.CompareAndSwap(seen, 0) {
		seen = t.reports.Load()
		t.onVersion(t.Version())
	}
}
