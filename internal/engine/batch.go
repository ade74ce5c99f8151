package engine

import (
	"slices"

	"vedette.dev/internal/codec"
	"vedette.dev/internal/fanout"
	"vedette.dev/internal/object"
	"vedette.dev/internal/table"
)

// batch is a number of changes on their way into the store and the logs.
type batch struct {
	*Informer
	initial bool // it is the first list of its partition

	// indexes is the indexes that there are, prepared the values in each of them of objects that may be put, and unindexed the errors of
	// index functions.
	indexes   *table.IndexSet
	prepared  [][]string
	unindexed map[*pendingEvent]error
	scattered bool

	steps   []table.Step
	values  [][]string     // of the objects that are put, in each index; the first of prepared, or a copy if it is scattered
	version table.Version  // of the store afterwards
	failed  table.Errors   // of index functions
	logs    []logBatch     // in the order in which they were first needed
	barred  []string       // keys whose barriers are to be moved to the end of their log
	freed   []*partition   // limited ones that have lost an object
	room    int            // how many notifications there may be
	counts  map[string]int // how many objects more the partitions have than in the store
}

// logBatch is the notifications for one log.
type logBatch struct {
	log           *fanout.Log
	notifications []fanout.Notification
}

// newBatch returns an empty batch for so many changes.
func (s *Informer) newBatch(changes int) *batch { return &batch{Informer: s, room: changes} }

// scratch is memory of a batch that the next one uses.
type scratch struct {
	steps    []table.Step
	prepared [][]string
}

// newBatch returns an empty batch for so many changes of a partition. It is called by the goroutine that has applying.
func (p *partition) newBatch(changes int) *batch {
	b := p.informer.newBatch(changes)
	b.steps, b.prepared = slices.Grow(p.scratch.steps, changes), p.scratch.prepared
	p.scratch = scratch{}
	return b
}

// keep keeps the memory of a batch that is applied, unless it is large.
func (p *partition) keep(b *batch) {
	clear(b.steps)
	clear(b.prepared)
	if cap(b.steps) <= 2*defaultPending {
		p.scratch.steps = b.steps[:0]
	}
	if cap(b.prepared) <= 2*defaultPending {
		p.scratch.prepared = b.prepared[:0]
	}
}

// lockFor calls Config.Observe and the index functions for the objects of events, and then locks applyMu. They are called without that
// lock: their code may need it, and other partitions would wait for it.
func (b *batch) lockFor(events []*pendingEvent) {
	observe := b.config.Observe
	for _, first := range events {
		ev := first.last()
		if !ev.storable() || ev.stays() {
			continue
		}
		if observe != nil && !object.IsAtRest(ev.obj) {
			observe(ev.obj)
		}
	}
	b.prepare(events) // index functions read objects at rest before they are compressed
	for _, first := range events {
		if ev := first.last(); ev.storable() && !ev.stays() {
			codec.Compress(ev.obj)
		}
	}
	for ; ; b.prepare(events) {
		b.applyMu.Lock()
		if b.table.Indexes() == b.indexes {
			return
		}
		b.applyMu.Unlock() // an index was added meanwhile
	}
}

// prepare finds the values of objects in the indexes that there are.
func (b *batch) prepare(events []*pendingEvent) {
	b.indexes, b.unindexed = b.table.Indexes(), nil
	b.prepared = slices.Grow(b.prepared[:0], len(events)*b.indexes.Len())
	for _, first := range events {
		if ev := first.last(); ev.storable() && !ev.stays() {
			b.index(ev)
		}
	}
}

// index finds the values of the object of an event in the indexes.
func (b *batch) index(ev *pendingEvent) {
	ev.row = int32(len(b.prepared)) + 1
	var err error
	if b.prepared, err = b.indexes.AppendValues(b.prepared, ev.key, ev.obj); err != nil {
		if b.unindexed == nil {
			b.unindexed = map[*pendingEvent]error{}
		}
		b.unindexed[ev] = err
	}
}

// setVersion sets the version of the store after the batch, if the store has one.
func (b *batch) setVersion(version string) {
	if b.versioned && version != "" {
		b.version = table.At(version)
	}
}

// notify adds a notification to those for a log.
func (b *batch) notify(log *fanout.Log, n fanout.Notification) {
	if !log.HasListeners() {
		return
	}
	for i := range b.logs {
		if b.logs[i].log == log {
			b.logs[i].notifications = append(b.logs[i].notifications, n)
			return
		}
	}
	room := 1
	if len(b.logs) == 0 {
		room = max(room, b.room) // most are for one log
	}
	b.logs = append(b.logs, logBatch{log, append(make([]fanout.Notification, 0, room), n)})
}

// commit writes the batch to the store in one step, and then appends the notifications to the logs. It is called under applyMu.
func (b *batch) commit() {
	if len(b.steps) > 0 || b.version != (table.Version{}) {
		if b.indexes == nil {
			b.indexes = b.table.Indexes()
		}
		b.table.Commit(b.indexes, b.steps, b.values, b.version)
	}
	if err := b.failed.Err(); err != nil {
		b.indexErrors++
		b.lastError = err
	}
	for _, l := range b.logs {
		l.log.Append(l.notifications)
	}
	b.moveBarriers()
	for _, p := range b.freed {
		b.fillUp(p)
	}
}

// report calls the metric of the store's version, without a lock.
func (b *batch) report() {
	if b.version != (table.Version{}) {
		b.table.ReportVersion()
	}
}
