// Package table is the store behind every cache: objects by key, with indexes, and views that are read without a lock. It
// knows nothing of Kubernetes: a key is a string, an object is any value, and a version is a string that the writer
// passes.
//
// # Types
//
//	Table      the store                                  New
//	Step       one write of several that are one step     Apply; Prepare and Commit
//	Index      the definition of an index                 Config.Indexes, AddIndexes
//	IndexSet   the indexes of a table at one moment       Table.Indexes
//	View       rows of the table at one moment            All, ByIndex, ByKeys
//	Row        an object and its key                      View.Rows
//
// # How it is made
//
//	keys:     keyTable    key ─▶ entry {object, slot, places in postings}     hash table, read without a lock
//	rows:     vector[Row] slot ─▶ {object, entry}                             dense, copy-on-write
//	indexes:  map         value ─▶ posting: vector of slots                   copy-on-write
//
// Get reads the key table without a lock. A seqlock tells it whether something was written meanwhile; then it reads again,
// and after a number of tries it takes the read lock.
//
// All, ByIndex and the lists take the read lock only for long enough to take hold of a vector, whatever its length. The
// vector is divided into chunks, and each carries the epoch of the write that made it. A writer changes chunks in place if
// no view can be using them, and otherwise replaces them by copies. So the cost of a view is paid by the writes that meet
// it, one chunk at a time.
//
// # Invariants
//
//   - A write is one step. Readers see all of a Put, an Apply, a Commit or a Replace or nothing of it, in Get, in views and
//     in each index alike. The version changes in the same step.
//   - What a view contains does not change until it is released.
//   - An object is filed under the values that the index functions returned when it was stored. A program that writes to a
//     stored object afterwards does not corrupt an index.
//   - An object whose index function fails is stored, and is absent from that index alone.
//   - In a table with an OwnerIndex each key has exactly one owner, which may be empty.
//   - Memory goes back to the collector when most objects are gone.
//
// Verify checks the structural invariants; those of single fields are marked "Invariant:".
//
// # Blocking
//
//   - Get waits for no other reader. Beside a writer it tries again, and blocks only if it meets one write after the other.
//   - A writer waits for other writers, and for readers that take a view, which takes well under a microsecond. It does not
//     wait for the readers of a view.
//   - Goroutines that copy a long view wait for each other, so that at most as many copy at once as there are processors;
//     see [View.ForCopy]. They hold no view while they wait.
//   - Index functions, Config.Decode and Config.OnVersion are called without a lock of the table and may use it. An index
//     function must not call AddIndexes. Config.IndexMu is locked before the lock of the table.
//   - AddIndexes computes the values of existing objects without a lock and files them in small steps. Readers can use a
//     new index when it is complete.
package table
