package leaderelection

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"

	"vedette.dev/fence"
	rl "vedette.dev/leaderelection/resourcelock"
)

// JitterFactor is the maximum jitter of a replica that is not the leader: it waits between RetryPeriod and
// (1+JitterFactor) times RetryPeriod between two attempts. RenewDeadline must be longer than JitterFactor times
// RetryPeriod.
const JitterFactor = 1.2

// LeaderElectionConfig configures an elector. Usual durations are 15, 10 and 2 seconds. All replicas should have the
// same.
type LeaderElectionConfig struct {
	// Lock is the lock. It must not be shared with another elector. Its requests must end when their context does.
	Lock rl.Interface

	// LeaseDuration is how long other replicas wait without seeing a renewal before one of them takes over. It is
	// rounded up to whole seconds in the lock.
	LeaseDuration time.Duration
	// RenewDeadline is how long a leader that cannot renew its lease goes on leading. It counts from just before the
	// last successful renewal was sent. The difference to LeaseDuration is the time that the work has to stop, and the
	// tolerance for clocks of different speed.
	RenewDeadline time.Duration
	// RetryPeriod is the interval at which the leader renews its lease, and about the interval at which others read it.
	RetryPeriod time.Duration

	// Callbacks are the work and the notifications.
	Callbacks LeaderCallbacks

	// WatchDog, if not nil, is connected to the elector, so that a health check fails if the work continues without a
	// lease.
	WatchDog *HealthzAdaptor

	// ReleaseOnCancel releases the lock, so that another replica takes over at once. It is released only after
	// OnStartedLeading has returned.
	ReleaseOnCancel bool

	// StopTimeout is how long Run waits for OnStartedLeading to return after the context of Run has ended. The lease is
	// renewed meanwhile. After that the lease is left to expire, and Run returns although the work has not. 0 means
	// that Run waits until the work has returned. A leader that has lost its lease never waits longer than until
	// another may lead.
	StopTimeout time.Duration

	// Gate, if not nil, is open during each term, and rejects writes of clients created with it while this replica does
	// not lead. Requests whose context comes from OnStartedLeading need no gate.
	Gate *fence.Gate

	// Name is the name of the election in metrics, logs and health checks.
	Name string

	// Coordinated leaves the choice of the leader to the API server, which needs its feature CoordinatedLeaderElection.
	// The elector then does not create the lock, and takes it only after the server has made this replica the holder.
	// Each replica also runs a LeaseCandidate, whose name is the identity of the lock.
	Coordinated bool

	// Metrics receives leadership changes. Nil means the provider of SetProvider, if any.
	Metrics MetricsProvider
	// Logger receives leadership changes and errors. Nil means no logging.
	Logger *slog.Logger
}

// LeaderCallbacks are called by an elector. OnNewLeader may be nil.
//
// A panic in one of them ends the term as a cancelled context does; Run then panics with a [PanicError]. OnStoppedLeading
// is not called in this case.
type LeaderCallbacks struct {
	// OnStartedLeading does the work. It is called in a goroutine of its own when this replica becomes the leader. Its
	// context ends when the context of Run does or the lease is lost, which is before another replica can lead, and
	// then it must return: the lock is released, and Run returns, only after it has. If it returns earlier, this
	// replica remains the leader, and OnStartedLeading is responsible for stopping any goroutines that it has started.
	OnStartedLeading func(context.Context)
	// OnStoppedLeading is called once at the end of each Run, also if this replica never led. The work has returned by
	// then. If it has not (see StopTimeout), OnStoppedLeading is called all the same, at the latest when another
	// replica may begin to lead: a program whose work cannot be stopped should exit here.
	OnStoppedLeading func()
	// OnNewLeader is called when the lock has a new holder, which may be this replica, or none (the empty identity). It
	// is called in order, from one goroutine, which Run waits for. If it is slow, it is called only for the newest
	// holder.
	OnNewLeader func(identity string)
}

func (c *LeaderElectionConfig) validate() error {
	for _, check := range []func() error{c.validateLock, c.validateTimes, c.validateCallbacks} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *LeaderElectionConfig) validateLock() error {
	if c.Lock == nil {
		return fmt.Errorf("leaderelection: LeaderElectionConfig.Lock is nil; set a lock such as a resourcelock.LeaseLock")
	}
	if ll, ok := c.Lock.(*rl.LeaseLock); ok {
		switch {
		case ll == nil:
			return fmt.Errorf("leaderelection: LeaderElectionConfig.Lock is a nil *LeaseLock")
		case ll.Client == nil:
			return fmt.Errorf("leaderelection: LeaderElectionConfig.Lock is a LeaseLock without a Client")
		case ll.LeaseMeta.Name == "":
			return fmt.Errorf("leaderelection: LeaderElectionConfig.Lock is a LeaseLock without a LeaseMeta.Name")
		}
	}
	if c.Lock.Identity() == "" {
		return fmt.Errorf("leaderelection: LeaderElectionConfig.Lock has an empty Identity; it must be unique among replicas")
	}
	return nil
}

func (c *LeaderElectionConfig) validateTimes() error {
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"LeaseDuration", c.LeaseDuration}, {"RenewDeadline", c.RenewDeadline}, {"RetryPeriod", c.RetryPeriod}} {
		if d.value <= 0 {
			return fmt.Errorf("leaderelection: LeaderElectionConfig.%s is %v; it must be more than zero", d.name, d.value)
		}
	}
	switch {
	case c.LeaseDuration > math.MaxInt32*time.Second:
		return fmt.Errorf("leaderelection: LeaderElectionConfig.LeaseDuration is %v; it must be at most %v, the limit of a Lease",
			c.LeaseDuration, math.MaxInt32*time.Second)
	case c.LeaseDuration <= c.RenewDeadline:
		return fmt.Errorf("leaderelection: LeaderElectionConfig.LeaseDuration is %v; it must be more than RenewDeadline, which is %v",
			c.LeaseDuration, c.RenewDeadline)
	case float64(c.RenewDeadline) <= JitterFactor*float64(c.RetryPeriod):
		return fmt.Errorf("leaderelection: LeaderElectionConfig.RenewDeadline is %v; it must be more than %v times RetryPeriod, which is %v",
			c.RenewDeadline, JitterFactor, c.RetryPeriod)
	case c.StopTimeout < 0:
		return fmt.Errorf("leaderelection: LeaderElectionConfig.StopTimeout is %v; it must not be negative", c.StopTimeout)
	}
	return nil
}

func (c *LeaderElectionConfig) validateCallbacks() error {
	if c.Callbacks.OnStartedLeading == nil {
		return fmt.Errorf("leaderelection: LeaderElectionConfig.Callbacks.OnStartedLeading is nil")
	}
	if c.Callbacks.OnStoppedLeading == nil {
		return fmt.Errorf("leaderelection: LeaderElectionConfig.Callbacks.OnStoppedLeading is nil; set an empty function if there is nothing to do")
	}
	return nil
}

// leaseSeconds returns the duration to write into the lock: never less than LeaseDuration, or others would take over
// too early.
func (c *LeaderElectionConfig) leaseSeconds() int {
	return int((c.LeaseDuration + time.Second - 1) / time.Second)
}

// requestTimeout is the timeout of one request: two fit into RenewDeadline, so that one that hangs does not cost the
// lease. If RenewDeadline is below two seconds, an answer that is slow is more likely than one that never comes, and the
// request may take all the time that is left.
func (c *LeaderElectionConfig) requestTimeout() time.Duration {
	return max(c.RenewDeadline/2, min(c.RenewDeadline, time.Second))
}
