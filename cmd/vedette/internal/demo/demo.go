package demo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"vedette.dev/console"
)

// Demo is a machine that runs, on a server whose objects change.
type Demo struct {
	config  Config
	world   world
	machine *machine
	began   atomic.Int64 // when Run was called

	// changes is how many changes were made by clients of the demo, and faults how often trouble was made.
	changes, faults atomic.Int64
	rates           rates
	closing         sync.Once
	closed          error
}

// world is where the machine runs: a server in this process, or a cluster.
type world interface {
	// setting is how to reach it, and what is there.
	setting() *setting
	// fill makes the objects that there are to begin with.
	fill(ctx context.Context) error
	// churn changes objects until the context ends.
	churn(ctx context.Context) error
	// changes is how many were made by others than clients of the demo.
	changes() int64
	// faults are the troubles that can be made here.
	faults(d *Demo) []fault
	// clean removes what the demo has made. It is called when the machine has ended. The error says what is left, and underWay
	// whether that is only because the server is still at it.
	clean(ctx context.Context) (underWay bool, err error)
}

func newWorld(d *Demo) (world, error) {
	if d.config.Server != nil {
		return newEmbedded(&d.config)
	}
	return newCluster(&d.config, &d.changes)
}

// Start fills a server, starts the machine on it, and returns when all its caches are full. If it returns an error, nothing of it is left,
// unless there is a LeftError in it.
func Start(ctx context.Context, config Config) (*Demo, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	config.fill()
	d := &Demo{config: config}
	if err := d.start(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Demo) start(ctx context.Context) (err error) {
	if d.world, err = newWorld(d); err != nil {
		return err
	}
	if err := d.world.fill(ctx); err != nil {
		return err
	}
	if d.machine, err = newMachine(&d.config, d.world.setting()); err != nil {
		return err
	}
	return d.machine.start(ctx)
}

// Namespace is that of the demo in a cluster, empty on a server in this process.
func (d *Demo) Namespace() string { return d.world.setting().namespace }

// Console is what a live page of the demo shows.
func (d *Demo) Console() console.Config { return d.machine.console() }

// Run changes objects and makes trouble until the context ends. Then all trouble is over, and nothing changes any more but by the
// operator, which may have work to do yet.
func (d *Demo) Run(ctx context.Context) error {
	d.began.Store(time.Now().UnixNano())
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var work sync.WaitGroup
	work.Go(func() {
		if err := d.world.churn(ctx); err != nil {
			stop(err)
		}
	})
	work.Go(func() { d.churnSites(ctx) })
	work.Go(func() { d.makeTrouble(ctx) })
	work.Go(func() {
		select {
		case <-ctx.Done():
		case err := <-d.machine.failed:
			stop(fmt.Errorf("the operator has ended: %w", err))
		}
	})
	<-ctx.Done()
	cause := context.Cause(ctx)
	work.Wait()
	if cause == context.Canceled || cause == context.DeadlineExceeded {
		return nil
	}
	return cause
}

// cleanTime is how long it may take to remove what the demo has made in a cluster.
const cleanTime = 30 * time.Second

// LeftError is that something of a demo is left in a cluster, and says what.
type LeftError struct {
	Err error
	// UnderWay tells that nothing has failed: the server is about to remove it, and has not come to an end in time.
	UnderWay bool
}

func (e *LeftError) Error() string { return "not all was removed: " + e.Err.Error() }

// Unwrap returns Err.
func (e *LeftError) Unwrap() error { return e.Err }

// Close stops the machine, and removes what the demo has made. The error, if there is one, is a LeftError. It may be called twice.
func (d *Demo) Close() error {
	d.closing.Do(func() {
		if d.machine != nil {
			d.machine.stop()
		}
		if d.world != nil {
			ctx, cancel := context.WithTimeout(context.Background(), cleanTime)
			defer cancel()
			if underWay, err := d.world.clean(ctx); err != nil {
				d.closed = &LeftError{err, underWay}
			}
		}
	})
	return d.closed
}
