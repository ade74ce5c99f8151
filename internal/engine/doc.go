// Package engine is the engine of every informer: reflectors bring changes, which are queued, applied to one table, and sent to handlers as
// notifications.
//
// # Types
//
//	Informer      the engine: streams, a delta queue, a table, logs      NewPlain, New
//	Stream        one list and watch, with its reflector                 StreamConfig
//	partition     a part of the objects: inbox, goroutine, log           PartitionConfig
//	deltaQueue    what streams have brought and the table does not have yet
//	batch         changes that are applied in one step
//	relist        a list, which replaces what the table has from its stream
//	Namespaces    an informer with a stream for each namespace
//	Registration  a handler, with a listener in each partition           Informer.AddHandler
//
// # The path of a change
//
//	listwatch.Reflector ─▶ Stream.take        stream.go       key and revision are those of the frame
//	                    ─▶ deltaQueue.put     deltaqueue.go   an inbox for each partition: keep all states of a key, or coalesce
//	                    ─▶ partition.run      partition.go    takes a batch, decodes what is not
//	                    ─▶ batch.follow       apply.go        what each key becomes, and which notifications that makes
//	                    ─▶ batch.commit       batch.go        the table in one step, then the logs
//	                    ─▶ fanout.Log         internal/fanout
//
// A list goes from the reflector to relist (relist.go), and is applied by the goroutine that has read it. Partitions and streams change in
// [Informer.Change] (change.go).
//
// An informer that is not divided has one partition, whose inbox keeps every state of a key, and decodes in the goroutine that reads. One that
// is divided has any number, coalesces, and decodes in the goroutines of the partitions.
//
// # Invariants
//
//   - A batch is applied to the table in one step, and only then are its notifications appended to the log. applyMu is held meanwhile, so that
//     a handler that is added gets a view of the table and the end of the log that fit together.
//   - A key is in one inbox at a time, and its events are applied in the order in which they came.
//   - A list begins when everything that its stream has brought is applied, where every state counts; where events are coalesced, it makes void
//     what waits (Stream.epoch).
//   - An object is owned by one partition, and a move is one step. While the log of a partition has undelivered notifications of a key, later
//     ones go to the same log (barrier.go).
//   - A deletion that one of several streams reports counts when no other stream can bring the object any more (deferred.go). What was removed
//     is not brought back by a stream that is behind (tombstone.go).
//   - A change of partitions that is refused has changed nothing.
//
// # Who waits for whom
//
//   - A reflector waits for room in the inbox, unless its stream is Shared. No partition waits for another, but for as long as it takes to write
//     a batch to the table. Nothing waits for a handler.
//   - Locks are taken in this order: changing, partition.applying, applyMu, Informer.mu, the lock of the deltaQueue, those of the table and the
//     logs. Transforms, index functions, observers and handlers are called without any of them but applying.
//   - Run returns when all goroutines have ended: streams first, then partitions, then listeners.
package engine
