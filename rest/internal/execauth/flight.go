package execauth

import (
	"context"
	"fmt"
	"time"
)

// flight is one run of the plugin, which all requests that need credentials at that time wait for.
type flight struct {
	// number counts the runs of the plugin in the order in which they began.
	number uint64
	done   chan struct{} // closed when creds and err are set
	cancel context.CancelFunc
	// waiting is how many requests wait; Authenticator.mu guards it.
	waiting int

	creds *credentials
	err   error
}

// credentials returns the present ones, or runs the plugin, or waits for the run that is under way. It returns when ctx
// ends, whatever the plugin does.
func (a *Authenticator) credentials(ctx context.Context) (*credentials, error) {
	a.mu.Lock()
	if c := a.current; c != nil && !a.rejected && !c.expired(time.Now()) {
		a.mu.Unlock()
		return c, nil
	}
	f := a.joinLocked()
	a.mu.Unlock()

	select {
	case <-f.done:
		return f.creds, f.err
	case <-ctx.Done():
		a.leave(f)
		err := ctx.Err()
		if cause := context.Cause(ctx); cause != err {
			err = fmt.Errorf("%w (%w)", err, cause)
		}
		return nil, fmt.Errorf("exec plugin %q had not answered yet: %w", a.plugin.command, err)
	}
}

func (a *Authenticator) joinLocked() *flight {
	if a.flight == nil {
		ctx, cancel := context.WithCancel(context.Background())
		a.flights++
		a.flight = &flight{number: a.flights, done: make(chan struct{}), cancel: cancel}
		go a.fly(ctx, a.flight)
	}
	a.flight.waiting++
	return a.flight
}

// leave cancels the run when no request waits for it any more. The next request begins another run.
func (a *Authenticator) leave(f *flight) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f.waiting--
	if f.waiting == 0 {
		f.cancel()
		a.landLocked(f)
	}
}

// fly runs the plugin. It ends soon after the plugin does, or after f.cancel.
func (a *Authenticator) fly(ctx context.Context, f *flight) {
	defer f.cancel()
	creds, err := a.plugin.run(ctx)
	a.land(f, creds, err)
}

// land ends a flight. A run that was canceled may still succeed, and end after a later run: its credentials are then dropped.
func (a *Authenticator) land(f *flight, creds *credentials, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil && f.number > a.stored {
		a.stored = f.number
		a.store(creds)
	}
	f.creds, f.err = creds, err
	a.landLocked(f)
	close(f.done)
}

func (a *Authenticator) landLocked(f *flight) {
	if a.flight == f {
		a.flight = nil
	}
}
