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

// Demo is a set of informers and an operator, on a server whose objects change.
type Demo struct {
	config  Config
	world   world
	machine *machine
	began   atomic.Int64 // when Run was called

	// changes is the number of changes by clients of the demo, and faults the number of faults injected.
	changes, faults atomic.Int64
	rates           rates
	closing         sync.Once
	closed          error
}

// world is the server of the demo: one in this process, or a cluster.
type world interface {
	// setting returns how to reach it, and its kinds.
	setting() *setting
	// fill creates the initial objects.
	fill(ctx context.Context) error
	// churn changes objects until the context ends.
	churn(ctx context.Context) error
	// changes returns the number of changes that were not made by clients of the demo.
	changes() int64
	// faults returns the faults that can be injected.
	faults(d *Demo) []fault
	// clean removes what the demo has created. It is called after the machine has ended. The error describes what is
	// left, and underWay is true if the server is still removing it.
	clean(ctx context.Context) (underWay bool, err error)
}

func newWorld(d *Demo) (world, error) {
	if d.config.Server != nil {
		return newEmbedded(&d.config)
	}
	return newCluster(&d.config, &d.changes)
}

// Start fills a server, starts the machine on it, and returns when all its caches have synced. If it returns an error,
// nothing of it is left, unless the error wraps a LeftError.
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

// Namespace returns the namespace of the demo in a cluster, empty on a server in this process.
func (d *Demo) Namespace() string { return d.world.setting().namespace }

// Console returns the configuration of the console.
func (d *Demo) Console() console.Config { return d.machine.console() }

// Run changes objects and injects faults until the context ends. Then all faults are over, and only the operator may
// still make changes.
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
	work.Go(func() { d.injectFaults(ctx) })
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

// cleanTime is how long it may take to remove what the demo has created in a cluster.
const cleanTime = 30 * time.Second

// LeftError describes what is left of a demo in a cluster.
type LeftError struct {
	Err error
	// UnderWay means that nothing has failed: the server is still removing it.
	UnderWay bool
}

func (e *LeftError) Error() string { return "not all was removed: " + e.Err.Error() }

// Unwrap returns Err.
func (e *LeftError) Unwrap() error { return e.Err }

// Close stops the machine, and removes what the demo has created. Its error is a LeftError. It may be called twice.
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
