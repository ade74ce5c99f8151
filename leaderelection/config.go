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

// JitterFactor says how much longer than RetryPeriod a replica that does not lead waits, at most, between two looks at the
// lock: by this many RetryPeriods. RenewDeadline must be longer than so many of them.
const JitterFactor = 1.2

// LeaderElectionConfig says who takes part in which election, and how patient everybody is. Usual times are 15, 10 and 2 seconds.
// All replicas should have the same.
type LeaderElectionConfig struct {
	// Lock is what the leader holds. It belongs to one elector. What it does with a context must end when the context does.
	Lock rl.Interface

	// LeaseDuration is how long others wait, without having seen a sign of the leader, before one of them takes over. It is
	// rounded up to whole seconds in the lock.
	LeaseDuration time.Duration
	// RenewDeadline is how long a leader that cannot renew its lease goes on leading. It counts from the moment before the last
	// renewal that succeeded was sent. What LeaseDuration is longer is the time that the work has to stop, and what is
	// forgiven in clocks of different speed.
	RenewDeadline time.Duration
	// RetryPeriod is how often the leader renews its lease, and about how often others look.
	RetryPeriod time.Duration

	// Callbacks are the work, and who hears of what happens.
	Callbacks LeaderCallbacks

	// WatchDog, if not nil, is tied to the elector, so that a health check fails if the work goes on without a lease.
	WatchDog *HealthzAdaptor

	// ReleaseOnCancel gives the lock back, so that another replica takes over at once. That happens only after the work has
	// stopped, which is when OnStartedLeading has returned.
	ReleaseOnCancel bool

	// StopTimeout is how long Run waits for OnStartedLeading to return after the context of Run has ended. The lease is renewed all
	// the while. After that the lease is left to expire, and Run returns although the work has not. 0 means that Run waits until
	// the work has returned. A leader that has lost its lease never waits longer than until another may lead.
	StopTimeout time.Duration

	// Gate, if not nil, is opened with each term, and refuses what is written with a client that was made with it when this replica
	// does not lead. Requests whose context comes from OnStartedLeading need no gate.
	Gate *fence.Gate

	// Name is that of the election in metrics, logs and health checks.
	Name string

	// Coordinated is for coordinated leader election, which is not implemented: it must be false.
	Coordinated bool

	// Metrics hears who leads. Nil means what SetProvider was given, if anything.
	Metrics MetricsProvider
	// Logger hears of gains, losses and trouble. Nil means silence.
	Logger *slog.Logger
}

// LeaderCallbacks are what an elector calls. OnNewLeader may be nil.
//
// A panic in one of them ends the term as a cancelled context does; then Run panics with it. OnStoppedLeading is not called then.
type LeaderCallbacks struct {
	// OnStartedLeading is the work. It is called in a goroutine of its own when this replica becomes leader. Its context ends when
	// the context of Run does or the lease is lost, which is before another can lead, and then it must return: the
	// lock is given back, and Run returns, only after it has. If it returns before that, this replica goes on to lead, and
	// what it may have started in goroutines is its own to stop in time.
	OnStartedLeading func(context.Context)
	// OnStoppedLeading is called once at the end of each Run, also if this replica never led. The work has returned by then. Only
	// if it does not in time (see StopTimeout) is OnStoppedLeading called all the same, at the latest when another replica may
	// begin to lead: a program whose work cannot be stopped exits here.
	OnStoppedLeading func()
	// OnNewLeader is called when the lock is seen to have a new holder, which may be this replica, or none (the empty identity),
	// in order, from one goroutine, which Run waits for. If it is slow, it hears only of the newest.
	OnNewLeader func(identity string)
}

func (c *LeaderElectionConfig) validate() error {
	for _, check := range []func() error{c.validateLock, c.validateTimes, c.validateCallbacks} {
		if err := check(); err != nil {
			return err
		}
	}
	if c.Coordinated {
		return fmt.Errorf("leaderelection: LeaderElectionConfig.Coordinated is true; " +
			"it must be false, because coordinated leader election is not implemented")
	}
	return nil
}

func (c *LeaderElectionConfig) validateLock() error {
	if c.Lock == nil {
		return fmt.Errorf("leaderelection: LeaderElectionConfig.Lock is nil; it must be a lock, such as a resourcelock.LeaseLock")
	}
	if ll, ok := c.Lock.(*rl.LeaseLock); ok {
		switch {
		case ll == nil:
			return fmt.Errorf("leaderelection: LeaderElectionConfig.Lock is a nil *LeaseLock; it must be one with a client and a name")
		case ll.Client == nil:
			return fmt.Errorf("leaderelection: LeaderElectionConfig.Lock is a LeaseLock whose Client is nil; it must have one")
		case ll.LeaseMeta.Name == "":
			return fmt.Errorf("leaderelection: LeaderElectionConfig.Lock is a LeaseLock whose LeaseMeta.Name is empty; it must name a Lease")
		}
	}
	if c.Lock.Identity() == "" {
		return fmt.Errorf("leaderelection: LeaderElectionConfig.Lock has an empty Identity; it must be one that no other replica has")
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
		return fmt.Errorf("leaderelection: LeaderElectionConfig.LeaseDuration is %v; it must be at most %v, which is what a Lease can hold",
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
		return fmt.Errorf("leaderelection: LeaderElectionConfig.Callbacks.OnStartedLeading is nil; it must be the work of a leader")
	}
	if c.Callbacks.OnStoppedLeading == nil {
		return fmt.Errorf("leaderelection: LeaderElectionConfig.Callbacks.OnStoppedLeading is nil; it must be a function, if only an empty one")
	}
	return nil
}

// leaseSeconds is what is written into the lock: never less than LeaseDuration, or others would take over too early.
func (c *LeaderElectionConfig) leaseSeconds() int {
	return int((c.LeaseDuration + time.Second - 1) / time.Second)
}

// requestTimeout is for one request. Two of them have room in a RenewDeadline, so that one that hangs does not cost the lease.
func (c *LeaderElectionConfig) requestTimeout() time.Duration { return c.RenewDeadline / 2 }
