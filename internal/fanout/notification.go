package fanout

// Type is what has happened to an object.
type Type uint8

const (
	Added Type = iota
	Updated
	Deleted
	// Recreated is a deletion and an addition that were coalesced: the object that the handler knows is gone, and another
	// has its key. It is never appended to a log.
	Recreated
	// Lost says that the objects of some keys are not followed any more, and nothing about what became of them. Old is the
	// keys, a []string. The Key of the notification must be that of no object.
	Lost
	// vacant is only in a backlog: the place of a notification that was dropped.
	vacant
)

// Notification is one change. It is shared by all listeners and never changes.
type Notification struct {
	Key string
	// Old is the state before the change; of a deletion the last state that is known.
	Old any
	// New is the state after the change, nil after a deletion.
	New any

	Type Type
	// Initial says that an added object is of the first list.
	Initial bool
	// Sync says that nothing has changed. Only listeners whose resync is due are notified.
	Sync bool
	// Partition is the one that the object is in, or was.
	Partition *Partition
}

// Partition is a part of the objects, as handlers know it.
type Partition struct {
	ID string
}

// retained returns how many of the notifications hold a state of an object that is not in the store any more. The state of
// an object that was added is in the store, or a later notification has it as Old.
func retained(notifications []Notification) (n uint64) {
	for i := range notifications {
		if notifications[i].Type != Added {
			n++
		}
	}
	return n
}
