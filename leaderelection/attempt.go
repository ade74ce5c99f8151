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
	rl "vedette.dev/leaderelection/resourcelock"
)

// errTaken is why a term is over if the lock is seen to be another's.
var errTaken = fmt.Errorf("%w: the lock is no longer ours", ErrLost)

// errHeld is why a replica is not elected if all is well.
var errHeld = errors.New("the lock is held by another")

// tryAcquire takes the lock if it is free, or was left, or is ours already. Otherwise it says why not.
func (le *LeaderElector) tryAcquire(ctx context.Context) (*term, error) {
	old, err := le.get(ctx)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("the lock cannot be read: %w", err)
	}
	// If the lock is gone, a leader that we have seen may not know yet: it has the time that it would have had.
	record, err := le.nextRecord()
	if err != nil {
		return nil, err
	}
	le.claim(record.AcquireTime.Time)
	sent := le.clock.now()
	write := le.config.Lock.Update
	if old == nil {
		write = le.config.Lock.Create
	}
	if err := le.write(ctx, write, record); err != nil {
		le.unsure = !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err)
		return nil, fmt.Errorf("the lock cannot be taken: %w", err)
	}
	t := le.newTerm(ctx, record, sent)
	if !t.valid() {
		le.unsure = true
		return nil, fmt.Errorf("the lock was taken, but the answer took too long: %w", t.Err())
	}
	return t, nil
}

// nextRecord is the record with which the lock can be taken now. It returns an error if the lock is another's.
func (le *LeaderElector) nextRecord() (rl.LeaderElectionRecord, error) {
	le.mu.Lock()
	seen := le.seen
	le.mu.Unlock()
	record := le.newRecord(le.clock.now())
	switch {
	case !seen.ever:
		return record, nil
	case le.mine(&seen.record):
		record.AcquireTime, record.LeaderTransitions = seen.record.AcquireTime, seen.record.LeaderTransitions
		if record.AcquireTime.IsZero() {
			record.AcquireTime = record.RenewTime
		}
		return record, nil
	case seen.record.HolderIdentity != "" && le.expiry(&seen) > 0:
		if seen.record.HolderIdentity == le.identity {
			le.logger.Warn("The lock is held by somebody with our identity: another replica that must not have it, or this one before it was started anew")
		}
		return record, fmt.Errorf("%w: %q", errHeld, seen.record.HolderIdentity)
	}
	// It does not overflow, as the API server refuses negative numbers, and nobody could be elected any more.
	record.LeaderTransitions = min(max(seen.record.LeaderTransitions, 0), math.MaxInt32-1) + 1
	return record, nil
}

// expiry is how long the holder may still believe that it leads. It is never shorter than what we would claim for ourselves: the
// holder is a replica like us, and if its record says less, then because somebody has edited it.
func (le *LeaderElector) expiry(seen *sighting) time.Duration {
	seconds := min(max(seen.record.LeaseDurationSeconds, le.config.leaseSeconds()), math.MaxInt32)
	return time.Duration(seconds)*time.Second - le.clock.now().atLeast(seen.at)
}

// pause is how long to wait before the next try: as JitterFactor says, but not much longer than the lease that we saw.
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

// newRecord is one of ours, renewed and acquired now.
func (le *LeaderElector) newRecord(now reading) rl.LeaderElectionRecord {
	wall := metav1.NewTime(now.wall.Truncate(time.Microsecond)) // which is as exact as a Lease
	return rl.LeaderElectionRecord{
		HolderIdentity:       le.identity,
		LeaseDurationSeconds: le.config.leaseSeconds(),
		AcquireTime:          wall,
		RenewTime:            wall,
	}
}

// claim remembers an AcquireTime with which we try to take the lock. A request of ours may take effect after several more,
// but not after so many that this list, which must end somewhere, is too short.
func (le *LeaderElector) claim(acquired time.Time) {
	for _, c := range le.claims {
		if c.Equal(acquired) {
			return
		}
	}
	if len(le.claims) == 16 {
		le.claims = append(le.claims[:0], le.claims[1:]...)
	}
	le.claims = append(le.claims, acquired)
}

// mine tells whether this elector, and not just one with its identity, has written the record. Some locks keep whole seconds
// only, or no AcquireTime at all.
func (le *LeaderElector) mine(record *rl.LeaderElectionRecord) bool {
	if record.HolderIdentity != le.identity {
		return false
	}
	at := record.AcquireTime.Time
	for _, c := range le.claims {
		if at.IsZero() || at.Equal(c) || at.Nanosecond() == 0 && at.Equal(c.Truncate(time.Second)) {
			return true
		}
	}
	return false
}

// get reads the lock and takes note of it.
func (le *LeaderElector) get(ctx context.Context) (*rl.LeaderElectionRecord, error) {
	ctx, cancel := context.WithTimeout(fence.Exempt(ctx), le.config.requestTimeout())
	defer cancel()
	record, raw, err := le.config.Lock.Get(ctx)
	if err != nil {
		return nil, err
	}
	if record == nil {
		return nil, errors.New("the lock returned neither a record nor an error")
	}
	if raw == nil {
		raw = []byte{}
	}
	le.unsure = le.mine(record)
	le.observe(record, raw)
	return record, nil
}

// write does one Create or Update of the lock, and takes note of it.
func (le *LeaderElector) write(ctx context.Context, do func(context.Context, rl.LeaderElectionRecord) error, record rl.LeaderElectionRecord) error {
	ctx, cancel := context.WithTimeout(fence.Exempt(ctx), le.config.requestTimeout())
	defer cancel()
	if err := do(ctx, record); err != nil {
		return err
	}
	le.unsure = false
	le.observe(&record, nil)
	return nil
}
