package leaderelection

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"vedette.dev/internal/clock"
	rl "vedette.dev/leaderelection/resourcelock"
)

// LeaderElector takes part in an election for one replica.
type LeaderElector struct {
	config   LeaderElectionConfig
	identity string
	clock    clock.Clock
	metric   LeaderMetric
	logger   *slog.Logger

	running atomic.Bool
	// current is the term in which this replica leads, from the moment of its election until its work has returned.
	current atomic.Pointer[term]

	mu   sync.Mutex
	seen sighting
	// reported is the holder of the last call of OnNewLeader.
	reported string

	// claims are the records with which this elector has tried to take the lock, newest last. They identify its own
	// record, even if the answer to a request was lost. Only the goroutine that uses the lock accesses them and the
	// fields below.
	claims []*claim
	// missing means that the lock did not exist when it was last read, gone since when.
	missing bool
	gone    clock.Reading
	// unsure means that the answer to the last claim was lost, so that we may hold the lock.
	unsure bool
}

// sighting is the last observed state of the lock.
type sighting struct {
	ever   bool // false before the first read
	record rl.LeaderElectionRecord
	raw    []byte
	// at is when this state was first seen: not before the holder has written it.
	at clock.Reading
}

// NewLeaderElector validates the config and returns an elector, which does nothing before Run.
func NewLeaderElector(lec LeaderElectionConfig) (*LeaderElector, error) {
	if err := lec.validate(); err != nil {
		return nil, err
	}
	le := &LeaderElector{
		config:   lec,
		identity: lec.Lock.Identity(),
		clock:    &clock.System{},
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

// RunOrDie creates an elector and runs it. It panics if the config is invalid.
func RunOrDie(ctx context.Context, lec LeaderElectionConfig) {
	le, err := NewLeaderElector(lec)
	if err != nil {
		panic(err)
	}
	le.Run(ctx)
}

// IsLeader reports whether this replica leads at this moment: it holds the lock, and so little time has passed since it
// sent its last successful renewal that no other replica can have taken it. It is true while the work winds down after
// a cancel.
func (le *LeaderElector) IsLeader() bool {
	t := le.current.Load()
	return t != nil && t.valid()
}

// GetLeader returns the last observed holder of the lock, empty if there was none. It is for information, not for
// decisions.
func (le *LeaderElector) GetLeader() string {
	le.mu.Lock()
	defer le.mu.Unlock()
	return le.seen.record.HolderIdentity
}

// Check returns an error if this replica still works as the leader though its lease has expired more than
// maxTolerableExpiredLease ago: something hangs, and the process should be restarted.
func (le *LeaderElector) Check(maxTolerableExpiredLease time.Duration) error {
	t := le.current.Load()
	if t == nil {
		return nil
	}
	if t.done() { // it has ended, even if late
		return nil
	}
	if age := t.age(); age > le.config.LeaseDuration+maxTolerableExpiredLease {
		return fmt.Errorf("leaderelection: %q of election %q still works as the leader, but last renewed the lock %s %v ago",
			le.identity, le.config.Name, le.config.Lock.Describe(), age.Round(time.Millisecond))
	}
	return nil
}

// observe records the observed state of the lock, and the time if it is new. A nil raw means our own record.
func (le *LeaderElector) observe(record *rl.LeaderElectionRecord, raw []byte) {
	at := le.clock.Now()
	le.mu.Lock()
	defer le.mu.Unlock()
	if le.seen.ever && raw != nil && string(raw) == string(le.seen.raw) && sameRecord(record, &le.seen.record) {
		return
	}
	le.seen = sighting{ever: true, record: *record, raw: raw, at: at}
}

// sameRecord compares times with the precision of a Lease; the JSON of a record has whole seconds only.
func sameRecord(a, b *rl.LeaderElectionRecord) bool {
	return a.HolderIdentity == b.HolderIdentity && a.LeaderTransitions == b.LeaderTransitions &&
		a.LeaseDurationSeconds == b.LeaseDurationSeconds && a.AcquireTime.Time.Equal(b.AcquireTime.Time) && a.RenewTime.Time.Equal(b.RenewTime.Time)
}

// sleep waits, and returns false if ctx ended before that.
func (le *LeaderElector) sleep(ctx context.Context, d time.Duration) bool {
	c, stop := le.clock.After(d)
	defer stop()
	select {
	case <-c:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
