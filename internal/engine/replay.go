package engine

import (
	"iter"

	"vedette.dev/internal/fanout"
	"vedette.dev/internal/table"
)

// lostNotification says that a partition has lost keys. It has a key that no object has.
func lostNotification(p *partition, keys []string) fanout.Notification {
	return fanout.Notification{Key: "\x00" + p.config.ID, Type: fanout.Lost, Partition: p.label, Old: keys}
}

// replay is the objects that a listener of a partition begins with. It implements fanout.Replay.
type replay struct {
	view      table.View
	partition *fanout.Partition
	// elsewhere has the partitions of objects that are in another one.
	elsewhere map[string]*fanout.Partition
}

func (r *replay) Len() int { return r.view.Len() }

func (r *replay) Release() { r.view.Release() }

func (r *replay) All() iter.Seq[fanout.Notification] {
	return func(yield func(fanout.Notification) bool) {
		for row := range r.view.Rows() {
			n := fanout.Notification{Key: row.Key(), New: row.Object, Type: fanout.Added, Initial: true, Partition: r.partition}
			if other := r.elsewhere[n.Key]; other != nil {
				n.Partition = other
			}
			if !yield(n) {
				return
			}
		}
	}
}
