package leaderelection

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	rl "vedette.dev/leaderelection/resourcelock"
)

// LeaderElector takes part in an election for one replica.
type LeaderElector struct {
	config   LeaderElectionConfig
	identity string
	clock    clock
	metric   LeaderMetric
	logger   *slog.Logger

	running atomic.Bool
	// current is the term in which this replica leads, from the moment of its election until its work has returned.
	current atomic.Pointer[term]

	mu   sync.Mutex
	seen sighting
	// told is the holder that OnNewLeader last heard of.
	told string

	// claims are the records with which this elector has tried to take the lock, the newest last. By them it knows its own
	// record, even if the answer to its request was lost. Only the goroutine that uses the lock touches them and what follows.
	claims []*claim
	// missing says that the lock did not exist when it was last looked for, and gone since when.
	missing bool
	gone    reading
	// unsure says that the answer to the last claim was lost, and that the lock may be ours.
	unsure bool
}

// sighting is what was last seen of the lock.
type sighting struct {
	ever   bool // false before the first
	record rl.LeaderElectionRecord
	raw    []byte
	// at is when it was first seen as it is: not before the holder has written it.
	at reading
}

// NewLeaderElector checks the config and makes an elector, which does nothing before Run.
func NewLeaderElector(lec LeaderElectionConfig) (*LeaderElector, error) {
	if err := lec.validate(); err != nil {
		return nil, err
	}
	le := &LeaderElector{
		config:   lec,
		identity: lec.Lock.Identity(),
		clock:    &systemClock{},
		metric:   newLeaderMetric(lec.Metrics),
		logger:   slog.New(slog.DiscardHandler),
	}
	if lec.Logger != nil {
		le.logger = lec.Logger.With("lock", lec.Lock.Describe(), "identity", le.identity)
	}
	le.metric.Off(lec.Name)
	if lec.WatchDog != nil {
		lec.WatchDog.SetLeaderElection(le)
	}
	return le, nil
}

// RunOrDie makes an elector and runs it. It panics if the config is not valid.
func RunOrDie(ctx context.Context, lec LeaderElectionConfig) {
	le, err := NewLeaderElector(lec)
	if err != nil {
		panic(err)
	}
	le.Run(ctx)
}

// IsLeader tells whether this replica leads, at this moment: it holds the lock, and so little time has passed since it last
// sent a renewal that succeeded that no other can have taken it. It is true while the work winds down after a cancel.
func (le *LeaderElector) IsLeader() bool {
	t := le.current.Load()
	return t != nil && t.valid()
}

// GetLeader is who was last seen to hold the lock, empty if nobody was. It is for logs and pages, not for decisions.
func (le *LeaderElector) GetLeader() string {
	le.mu.Lock()
	defer le.mu.Unlock()
	return le.seen.record.HolderIdentity
}

// Check returns an error if this replica is still at work as leader though its lease has ended more than
// maxTolerableExpiredLease ago: something hangs, and the process should be ended from outside.
func (le *LeaderElector) Check(maxTolerableExpiredLease time.Duration) error {
	t := le.current.Load()
	if t == nil {
		return nil
	}
	if t.done() { // after it was late, or Run would have seen to it
		return nil
	}
	if age := t.age(); age > le.config.LeaseDuration+maxTolerableExpiredLease {
		return fmt.Errorf("leaderelection: %q has led the election %q by the lock %s, last renewed it %v ago, and is still at work",
			le.identity, le.config.Name, le.config.Lock.Describe(), age.Round(time.Millisecond))
	}
	return nil
}

// observe remembers what was seen of the lock, and from when on if it is new. The holder of a nil raw is ourselves.
func (le *LeaderElector) observe(record *rl.LeaderElectionRecord, raw []byte) {
	at := le.clock.now()
	le.mu.Lock()
	defer le.mu.Unlock()
	if le.seen.ever && raw != nil && string(raw) == string(le.seen.raw) && sameRecord(record, &le.seen.record) {
		return
	}
	le.seen = sighting{ever: true, record: *record, raw: raw, at: at}
}

// sameRecord compares times more closely than the JSON of a record can, which has whole seconds.
func sameRecord(a, b *rl.LeaderElectionRecord) bool {
	return a.HolderIdentity == b.HolderIdentity && a.LeaderTransitions == b.LeaderTransitions &&
		a.LeaseDurationSeconds == b.LeaseDurationSeconds && a.AcquireTime.Time.Equal(b.AcquireTime.Time) && a.RenewTime.Time.Equal(b.RenewTime.Time)
}

// sleep waits, and returns false if ctx ended before that.
func (le *LeaderElector) sleep(ctx context.Context, d time.Duration) bool {
	c, stop := le.clock.after(d)
	defer stop()
	select {
	case <-c:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
