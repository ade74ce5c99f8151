package runner

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"time"

	"vedette.dev/controller"
	"vedette.dev/fence"
	"vedette.dev/kubernetes"
	"vedette.dev/leaderelection"
	"vedette.dev/leaderelection/resourcelock"
	"vedette.dev/rest"
)

// election runs the controllers while this replica is the leader.
type election struct {
	r        *runner
	config   leaderelection.LeaderElectionConfig
	watchdog *leaderelection.HealthzAdaptor
}

// tolerated is how long the controllers may still run after the lease expired before /healthz fails.
const tolerated = 20 * time.Second

// giveUpLease is how long the elector waits for controllers that have not stopped, before it leaves the lease to
// expire.
const giveUpLease = time.Second

func (r *runner) newElection() (*election, error) {
	namespace, err := r.leaseNamespace()
	if err != nil {
		return nil, err
	}
	config := rest.AddUserAgent(rest.CopyConfig(r.RESTConfig), "leader-election")
	// The lease must be renewed even if the program has exhausted its rate limit.
	config.RateLimiter, config.QPS = nil, -1
	renew := or(r.LeaderElectRenewDeadline, defaultRenew)
	config.Timeout = renew / 2
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("runner: cannot create the client for --leader-elect: %w", err)
	}
	identity, err := newIdentity()
	if err != nil {
		return nil, err
	}
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, namespace, r.LeaderElectResourceName,
		client.CoreV1(), client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: identity})
	if err != nil {
		return nil, fmt.Errorf("runner: Lease %s/%s of --leader-elect: %w", namespace, r.LeaderElectResourceName, err)
	}
	e := &election{r: r, watchdog: leaderelection.NewLeaderHealthzAdaptor(tolerated)}
	e.config = leaderelection.LeaderElectionConfig{
		Lock:            lock,
		Name:            r.LeaderElectResourceName,
		LeaseDuration:   or(r.LeaderElectLeaseDuration, defaultLease),
		RenewDeadline:   renew,
		RetryPeriod:     or(r.LeaderElectRetryPeriod, defaultRetry),
		ReleaseOnCancel: true,
		StopTimeout:     giveUpLease,
		WatchDog:        e.watchdog,
		Gate:            r.Gate,
		Metrics:         r.LeaderMetrics,
		Logger:          r.Logger,
		Callbacks:       leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) {}, OnStoppedLeading: func() {}},
	}
	// Invalid durations are reported before anything runs.
	trial := e.config
	trial.Metrics, trial.WatchDog = nil, nil
	if _, err := leaderelection.NewLeaderElector(trial); err != nil {
		return nil, fmt.Errorf("runner: --leader-elect: %w", err)
	}
	return e, nil
}

// newIdentity returns the identity of this replica. It is random, because one host may run several.
func newIdentity() (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("runner: cannot determine the identity for --leader-elect: %w", err)
	}
	return host + "_" + rand.Text(), nil
}

// run calls work when this replica is the leader, and returns its result after the lease was released.
//
// The end of ctx stops the work, not the elector: the lease is renewed until the work has ended. The context of the
// work ends with ctx and with the term. If the lease is lost while the work winds down, the controllers are aborted, as
// another replica may soon do their work.
func (e *election) run(ctx context.Context, work func(context.Context) error) error {
	electing, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	started, done, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	defer close(over)
	var result error
	e.config.Callbacks.OnStartedLeading = func(leading context.Context) {
		close(started)
		defer context.AfterFunc(leading, func() { e.r.abortIfLost(leading) })()
		working, cancel := fence.WithCancelCause(leading)
		defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
		result = work(working)
		cancel(nil)
		if cause := context.Cause(leading); errors.Is(cause, leaderelection.ErrLost) && !errors.Is(result, leaderelection.ErrLost) {
			result = errors.Join(cause, result) // the controllers may have seen the end of the context before they were aborted
		}
		close(done)
		stop()
		if errors.Is(result, controller.ErrStopTimeout) {
			// A reconcile is still running, so the lease is not released: another replica might do the same work. The
			// elector leaves it to expire if this function does not return in time.
			<-over
		}
	}
	elector, err := leaderelection.NewLeaderElector(e.config)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() {
		select {
		case <-started:
		default:
			stop() // there is no work to wait for
		}
	})()
	elector.Run(electing)
	select {
	case <-started:
		<-done
		return result
	default:
		return nil // never the leader
	}
}

func (r *runner) abortIfLost(leading context.Context) {
	cause := context.Cause(leading)
	if !errors.Is(cause, leaderelection.ErrLost) {
		return
	}
	for _, c := range r.Controllers {
		c.Abort(cause)
	}
}
