package command

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// exit is replaced in tests.
var exit = os.Exit

// untilSignal returns a context that ends with the first SIGINT or SIGTERM. A second one exits, and restores the
// terminal.
func untilSignal(parent context.Context, s *streams) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for first := true; ; first = false {
			select {
			case <-signals:
				if !first {
					s.restore()
					exit(exitInterrupted)
					return
				}
				cancel(errInterrupted)
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		<-ended
		cancel(nil)
	}
}
