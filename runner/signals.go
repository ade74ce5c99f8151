package runner

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// exit is replaced in tests.
var exit = os.Exit

// untilSignal returns a context that ends with the first SIGINT or SIGTERM. A second one ends the process.
func untilSignal(parent context.Context, logger *slog.Logger) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for count := 0; ; count++ {
			select {
			case s := <-signals:
				if count > 0 {
					logger.Error("Received second signal, exiting", "signal", s.String())
					exit(1)
					return
				}
				logger.Info("Received signal, stopping; a second signal exits at once", "signal", s.String())
				cancel()
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		<-ended
		cancel()
	}
}
