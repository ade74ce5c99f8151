// Package storage keeps objects in memory, in versions, as an API server's store does.
//
//   - [Store] holds collections, one a resource. Every write takes the next version of the one line that all of them share.
//   - [Item] is an object in one version. It never changes; readers share it.
//   - [Event] is a write as watchers see it: what was, what is. A collection keeps the newest ones in a log.
//   - [Snapshot] is a collection as it was at one version. It costs nothing to take at the newest version; an older one
//     is found by undoing the log.
//   - [Log] is a reader of a collection's log: a version up to which everything was read.
//
// # What holds
//
//   - Versions grow by one with each write and are never used twice.
//   - A write names the item that it replaces, and fails with [ErrChanged] if that is not the newest any more. It is the only
//     way to change anything, so no write is lost.
//   - A reader of the log gets each event of its collection once, in the order of their versions. It never holds up a writer:
//     one that is slower than the log is long gets [ErrCompacted].
//   - [Store.Compact] forgets versions for those who come later. Readers that are under way do not notice.
//
// Nothing here has a goroutine or a clock.
package storage
