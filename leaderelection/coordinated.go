package leaderelection

import (
	"errors"
	"fmt"

	rl "vedette.dev/leaderelection/resourcelock"
)

// In a coordinated election the API server decides which replica holds the lock. It creates the lock, or replaces a
// holder that has released it or whose lease has expired; the record that it writes has no AcquireTime, and
// LeaderTransitions as it was, which is 0 in a lock that it has created. If it prefers another replica to the holder, it
// sets PreferredHolder, and waits until the holder has given the lock up.
//
// Each of these is a change of the lock, so an update of a holder that does not know it is a conflict. A term begins, as
// without coordination, with an update that has succeeded: that the server has named this replica does not begin one.

// errNotCreated is the reason for which a replica is not elected, or cannot renew, when the server has not created the
// lock.
var errNotCreated = fmt.Errorf("%w: it does not exist, and is created by the API server", errHeld)

// errPreferred is the cause of the end of a term when the server prefers another replica.
var errPreferred = fmt.Errorf("%w: the API server prefers another replica", ErrLost)

// errUnwanted is the reason for which a replica does not take a lock of which it is the holder.
var errUnwanted = errors.New("the API server prefers another replica")

// nextCoordinated is nextRecord for a coordinated election.
func (le *LeaderElector) nextCoordinated() (rl.LeaderElectionRecord, *claim, error) {
	le.mu.Lock()
	seen := le.seen
	le.mu.Unlock()
	record := le.newRecord(le.clock.Now())
	record.Strategy = seen.record.Strategy
	c := le.claimOf(&seen.record)
	switch {
	case seen.record.HolderIdentity != le.identity:
		return record, nil, fmt.Errorf("%w: %q", errHeld, seen.record.HolderIdentity)
	case le.unwanted(&seen.record):
		return record, nil, fmt.Errorf("%w: %w: %q", errHeld, errUnwanted, seen.record.PreferredHolder)
	case c != nil:
		record.AcquireTime, record.LeaderTransitions = seen.record.AcquireTime, seen.record.LeaderTransitions
		return record, c, nil
	case !le.assigned(&seen.record) && le.expiry(&seen) > 0:
		le.logger.Warn("Lock is held with our identity: by another replica, or by this one before a restart")
		return record, nil, fmt.Errorf("%w: %q", errHeld, le.identity)
	}
	// The server has named this replica, and since then no other has held the lock.
	record.LeaderTransitions = following(seen.record.LeaderTransitions)
	c = le.claim(record.AcquireTime.Time)
	if seen.record.LeaderTransitions == 0 {
		c.creating() // the server may have created it after it was deleted while held: see create
	}
	return record, c, nil
}

// assigned reports whether a record was written by the server, to make its holder the leader.
func (le *LeaderElector) assigned(record *rl.LeaderElectionRecord) bool {
	return le.config.Coordinated && record.HolderIdentity != "" && record.AcquireTime.IsZero()
}

// assignedAgain reports whether a record is that of a lock which the server has created for this replica. A leader that
// finds it instead of its own goes on: its lock was deleted, and no other replica has held the new one.
func (le *LeaderElector) assignedAgain(record *rl.LeaderElectionRecord) bool {
	return le.assigned(record) && record.HolderIdentity == le.identity && record.LeaderTransitions == 0 && !le.unwanted(record)
}

// unwanted reports whether the server prefers another replica to the holder of a record.
func (le *LeaderElector) unwanted(record *rl.LeaderElectionRecord) bool {
	return le.config.Coordinated && record.PreferredHolder != "" && record.PreferredHolder != record.HolderIdentity
}
