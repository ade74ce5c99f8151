package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"vedette.dev/fence"
)

// runner is the state of one Run.
type runner struct {
	Config
	election *election // nil without leader election
	// working is set while the controllers should run.
	working atomic.Bool
}

// Run runs the controllers until the context ends, a signal arrives, the lease or the group is lost or a controller fails, and
// returns when everything has stopped. It returns nil if it was told to stop, and an error otherwise: the program
// should exit then.
func Run(ctx context.Context, config Config) error {
	if err := config.validate(); err != nil {
		return err
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	r := &runner{Config: config}
	if r.LeaderElect {
		var err error
		if r.election, err = r.newElection(); err != nil {
			return err
		}
	}
	if !r.KeepSignals {
		var stop context.CancelFunc
		ctx, stop = untilSignal(ctx, r.Logger)
		defer stop()
	}
	servers, err := r.listen()
	if err != nil {
		return err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	waitForServers := servers.serve(fail)
	// The informers outlive the controllers: their context is cancelled separately.
	background, stopInformers := context.WithCancel(context.WithoutCancel(ctx))
	waitForInformers := r.startInformers(background)

	err = r.lead(ctx)

	stopInformers()
	waitForInformers()
	fail(nil)
	return errors.Join(err, waitForServers())
}

func (r *runner) startInformers(ctx context.Context) (wait func()) {
	var informers sync.WaitGroup
	for _, f := range r.Factories {
		f.StartWithContext(ctx)
	}
	for _, i := range r.Informers {
		informers.Go(func() { i.RunWithContext(ctx) })
	}
	return func() {
		for _, f := range r.Factories {
			f.Shutdown()
		}
		informers.Wait()
	}
}

// lead runs the controllers once this replica is the leader, or at once if there is no election.
func (r *runner) lead(ctx context.Context) error {
	if r.election == nil {
		if r.Gate != nil {
			unlimited := fence.NewTerm("runner.Run without leader election", func() error { return nil })
			r.Gate.Open(unlimited)
			defer unlimited.End(errors.New("runner.Run has returned"))
		}
		if r.Group != nil {
			return r.share(ctx)
		}
		return r.work(ctx)
	}
	return r.election.run(ctx, r.work)
}

// share runs the controllers while this replica is a member of Config.Group. When ctx ends, they run until the group has left: it gives
// shards away while the work in the others goes on.
func (r *runner) share(ctx context.Context) error {
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	member, leave := context.WithCancel(ctx)
	defer leave()
	ended := make(chan error, 1)
	go func() {
		defer stop()
		ended <- r.Group.Run(member)
	}()
	err := r.work(working)
	leave()
	if lost := <-ended; lost != nil {
		err = errors.Join(fmt.Errorf("runner: the group has ended: %w", lost), err)
	}
	return err
}

// work runs the controllers, and returns when all have stopped. The first that ends stops the others.
func (r *runner) work(ctx context.Context) error {
	r.working.Store(true)
	defer r.working.Store(false)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	results := make([]error, len(r.Controllers))
	var controllers sync.WaitGroup
	for i, c := range r.Controllers {
		controllers.Go(func() {
			defer stop()
			results[i] = c.Run(ctx)
			if results[i] == nil && ctx.Err() == nil {
				results[i] = fmt.Errorf("controller %s stopped unexpectedly", c.Name())
			}
		})
	}
	controllers.Wait()
	return errors.Join(results...)
}
