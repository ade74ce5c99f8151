// Package storage keeps versioned objects in memory, as an API server's storage does.
//
//   - [Store] has a collection for each resource. Every write takes the next version of a sequence that all of them
//     share.
//   - [Item] is an object in one version. It never changes; readers share it.
//   - [Event] is a write as watchers see it: what was, what is. A collection keeps the newest ones in a log.
//   - [Snapshot] is a collection at one version. A snapshot of the newest version costs nothing; an older one is
//     computed by undoing the log.
//   - [Log] is a reader of a collection's log: a version up to which everything was read.
//
// # Guarantees
//
//   - Versions increase by one with each write and are never reused.
//   - A write names the item that it replaces, and fails with [ErrChanged] if that is not the newest. It is the only
//     way to change anything, so no write is lost.
//   - A reader of the log gets each event of its collection once, in the order of their versions. It never blocks a
//     writer: one that falls behind the length of the log gets [ErrCompacted].
//   - [Store.Compact] drops versions for new readers. Existing readers are not affected.
//
// Nothing here has a goroutine or a clock.
package storage
