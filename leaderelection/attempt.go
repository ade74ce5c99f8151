package leaderelection

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/fence"
	"vedette.dev/internal/clock"
	rl "vedette.dev/leaderelection/resourcelock"
)

// errTaken is the cause of the end of a term when another replica holds the lock.
var errTaken = fmt.Errorf("%w: lock is held by another replica", ErrLost)

// errHeld is the normal reason for which a replica is not elected.
var errHeld = errors.New("lock is held by another replica")

// waitingError is the reason for which a replica that has created the lock is not elected yet.
type waitingError struct{ left time.Duration }

func (e *waitingError) Error() string {
	return fmt.Sprintf("waiting for %v after creating the lock: the previous lock may have been deleted while held", e.left)
}

// tryAcquire takes the lock if it is free, expired or already held by this elector. Otherwise it returns the reason.
func (le *LeaderElector) tryAcquire(ctx context.Context) (*term, error) {
	switch _, err := le.get(ctx); {
	case apierrors.IsNotFound(err) && le.config.Coordinated:
		return nil, errNotCreated
	case apierrors.IsNotFound(err):
		return nil, le.create(ctx)
	case err != nil:
		return nil, fmt.Errorf("cannot read the lock: %w", err)
	}
	next := le.nextRecord
	if le.config.Coordinated {
		next = le.nextCoordinated
	}
	record, c, err := next()
	if err != nil {
		return nil, err
	}
	waiting := le.unproven(c)
	sent := le.clock.Now()
	if err := le.write(ctx, le.config.Lock.Update, record); err != nil {
		le.unsure = !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err)
		return nil, fmt.Errorf("cannot take the lock: %w", err)
	}
	if waiting > 0 {
		return nil, &waitingError{waiting}
	}
	c.created = false
	t := le.newTerm(ctx, record, sent)
	if !t.valid() {
		le.unsure = true
		return nil, fmt.Errorf("lock was taken too late: %w", t.Err())
	}
	return t, nil
}

// create creates a lock that does not exist. This does not make the replica the leader: the lock may have been deleted,
// and its holder leads until it finds out, or until its term ends. So this replica holds the lock for LeaseDuration
// without leading. In that time the lock always has a record, and an update by a replica that has not seen this record
// is a conflict, so no other term begins; earlier ones are over at the end of it. It always returns an error.
func (le *LeaderElector) create(ctx context.Context) error {
	le.mu.Lock()
	seen := le.seen
	le.mu.Unlock()
	if seen.ever && seen.record.HolderIdentity != "" && !le.mine(&seen.record) {
		// A leader that we have seen creates it again at its next renewal, and goes on.
		if min(le.expiry(&seen), 2*le.config.RetryPeriod-le.clock.Now().AtLeast(le.gone)) > 0 {
			return fmt.Errorf("%w: %q; lock was deleted", errHeld, seen.record.HolderIdentity)
		}
	}
	record := le.newRecord(le.clock.Now())
	if seen.ever {
		record.LeaderTransitions = following(seen.record.LeaderTransitions)
	}
	c := le.claim(record.AcquireTime.Time)
	c.creating()
	if err := le.write(ctx, le.config.Lock.Create, record); err != nil {
		return fmt.Errorf("cannot create the lock: %w", err)
	}
	le.logger.Info("Created the lock, waiting for LeaseDuration before leading", "leaseDuration", le.config.LeaseDuration)
	return &waitingError{le.unproven(c)}
}

// nextRecord returns the record with which an existing lock can be taken now, and the claim for it. It returns an error
// if another replica holds the lock.
func (le *LeaderElector) nextRecord() (rl.LeaderElectionRecord, *claim, error) {
	le.mu.Lock()
	seen := le.seen
	le.mu.Unlock()
	record := le.newRecord(le.clock.Now())
	c := le.claimOf(&seen.record)
	switch {
	case c != nil && seen.record.AcquireTime.IsZero():
		again := *c
		again.acquired = record.AcquireTime.Time
		c = le.claim(again.acquired)
		*c = again
		record.LeaderTransitions = seen.record.LeaderTransitions
		return record, c, nil
	case c != nil:
		record.AcquireTime, record.LeaderTransitions = seen.record.AcquireTime, seen.record.LeaderTransitions
		return record, c, nil
	case neverHeld(&seen.record):
	case seen.record.HolderIdentity != "" && le.expiry(&seen) > 0:
		if seen.record.HolderIdentity == le.identity {
			le.logger.Warn("Lock is held with our identity: by another replica, or by this one before a restart")
		}
		return record, nil, fmt.Errorf("%w: %q", errHeld, seen.record.HolderIdentity)
	default:
		record.LeaderTransitions = following(seen.record.LeaderTransitions)
	}
	return record, le.claim(record.AcquireTime.Time), nil
}

// neverHeld reports whether a record is of an empty lock, such as one created from a manifest.
func neverHeld(record *rl.LeaderElectionRecord) bool {
	return record.HolderIdentity == "" && record.LeaderTransitions == 0 && record.AcquireTime.IsZero() && record.RenewTime.IsZero()
}

// following returns the number of the term after n. It does not overflow: the API server rejects negative numbers, and
// then no replica could be elected any more.
func following(n int) int { return min(max(n, 0), math.MaxInt32-1) + 1 }

// expiry returns how long the holder may still believe that it leads. It is never shorter than our own LeaseDuration:
// the holder has the same configuration, so a shorter duration in its record is the result of a manual edit.
func (le *LeaderElector) expiry(seen *sighting) time.Duration {
	seconds := min(max(seen.record.LeaseDurationSeconds, le.config.leaseSeconds()), math.MaxInt32)
	return time.Duration(seconds)*time.Second - le.clock.Now().AtLeast(seen.at)
}

// pause returns how long to wait before the next attempt: by JitterFactor, but not much longer than the remaining
// lease.
func (le *LeaderElector) pause() time.Duration {
	le.mu.Lock()
	seen := le.seen
	le.mu.Unlock()
	period := float64(le.config.RetryPeriod)
	pause := time.Duration(period * (1 + JitterFactor*rand.Float64()))
	if left := le.expiry(&seen); seen.ever && seen.record.HolderIdentity != "" && left > 0 {
		pause = min(pause, left+time.Duration(period/10*rand.Float64()))
	}
	return pause
}

// newRecord returns a record of this replica, renewed and acquired now.
func (le *LeaderElector) newRecord(now clock.Reading) rl.LeaderElectionRecord {
	wall := metav1.NewTime(now.Wall.Truncate(time.Microsecond)) // the precision of a Lease
	return rl.LeaderElectionRecord{
		HolderIdentity:       le.identity,
		LeaseDurationSeconds: le.config.leaseSeconds(),
		AcquireTime:          wall,
		RenewTime:            wall,
	}
}

// claim is a record with which this elector has tried to take the lock.
type claim struct {
	acquired time.Time
	// created means that the lock was created with it, and that no term has begun with it since. If there is set, the
	// lock has existed at least since that reading.
	created, there bool
	since          clock.Reading
}

// creating marks that a Create is about to be sent.
func (c *claim) creating() { c.created, c.there = true, false }

// claim remembers an AcquireTime with which we try to take the lock. A request may take effect after several later
// ones, but not after so many that this bounded list is too short.
func (le *LeaderElector) claim(acquired time.Time) *claim {
	for _, c := range le.claims {
		if c.acquired.Equal(acquired) {
			return c
		}
	}
	if len(le.claims) == 16 {
		le.claims = append(le.claims[:0], le.claims[1:]...)
	}
	c := &claim{acquired: acquired}
	le.claims = append(le.claims, c)
	return c
}

// claimOf returns the claim with which this elector, and not just one with its identity, has written the record, or
// nil. Some locks store whole seconds only, or no AcquireTime at all; then a claim that created the lock comes first. In
// a coordinated election a record without an AcquireTime was written by the server.
func (le *LeaderElector) claimOf(record *rl.LeaderElectionRecord) *claim {
	if record.HolderIdentity != le.identity || le.assigned(record) {
		return nil
	}
	var found *claim
	at := record.AcquireTime.Time
	for _, c := range le.claims {
		if at.IsZero() || at.Equal(c.acquired) || at.Nanosecond() == 0 && at.Equal(c.acquired.Truncate(time.Second)) {
			if found == nil || c.created {
				found = c
			}
		}
	}
	return found
}

// mine reports whether this elector has written the record.
func (le *LeaderElector) mine(record *rl.LeaderElectionRecord) bool { return le.claimOf(record) != nil }

// unproven returns how long a claim whose record was just seen in the lock does not prove yet that no other replica
// leads.
func (le *LeaderElector) unproven(c *claim) time.Duration {
	if !c.created {
		return 0
	}
	now := le.clock.Now()
	if !c.there {
		c.there, c.since = true, now
	}
	return time.Duration(le.config.leaseSeconds())*time.Second - now.AtLeast(c.since)
}

// get reads the lock and records what it has seen.
func (le *LeaderElector) get(ctx context.Context) (*rl.LeaderElectionRecord, error) {
	ctx, cancel := context.WithTimeout(fence.Exempt(ctx), le.config.requestTimeout())
	defer cancel()
	record, raw, err := le.config.Lock.Get(ctx)
	if err != nil {
		if missing := apierrors.IsNotFound(err); missing && !le.missing {
			le.missing, le.gone = true, le.clock.Now()
		}
		return nil, err
	}
	le.missing = false
	if record == nil {
		return nil, errors.New("lock returned neither a record nor an error")
	}
	if raw == nil {
		raw = []byte{}
	}
	le.unsure = le.mine(record)
	le.observe(record, raw)
	return record, nil
}

// write calls Create or Update of the lock, and records the result.
func (le *LeaderElector) write(ctx context.Context, do func(context.Context, rl.LeaderElectionRecord) error, record rl.LeaderElectionRecord) error {
	ctx, cancel := context.WithTimeout(fence.Exempt(ctx), le.config.requestTimeout())
	defer cancel()
	if err := do(ctx, record); err != nil {
		return err
	}
	le.unsure, le.missing = false, false
	le.observe(&record, nil)
	return nil
}
