package record

import (
	"log/slog"
	"slices"
	"time"
)

// Shutdown stops the broadcaster. Events recorded from now on are rejected. Events in the queues are still handled,
// with one attempt to write each, for Config.ShutdownTimeout; what remains then is dropped, and running writes are
// cancelled. When it returns, no goroutine of the broadcaster is left. The one exception is a handler, or a sink that
// is not a [ContextEventSink], that does not return: Shutdown waits for it for another second, logs that, and leaves it
// running.
//
// It may be called more than once and concurrently; each call waits. A handler must not call it: it would wait for
// itself.
func (b *Broadcaster) Shutdown() {
	b.stopOnce.Do(func() {
		if b.stopAfter() {
			close(b.ended) // it will never start
		}
	})
	b.shutdown()
	<-b.ended
}

func (b *Broadcaster) shutdown() {
	deadline := b.close()
	defer b.cancel()
	if b.await(deadline) {
		return
	}
	b.cancel()
	if !b.await(time.Now().Add(grace)) {
		b.complain(b.config.Logger, aboutEnd, slog.LevelError,
			"Shutdown timed out: handler or sink did not return", "listeners", b.stuck())
	}
}

// close closes the queues, and returns until when they may be worked off.
func (b *Broadcaster) close() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isClosing() {
		return b.deadline
	}
	b.deadline = time.Now().Add(b.config.ShutdownTimeout)
	close(b.closing)
	for _, l := range b.listeners {
		close(l.queue)
	}
	b.listeners = nil
	return b.deadline
}

// isClosing reports whether Shutdown has begun.
func (b *Broadcaster) isClosing() bool {
	select {
	case <-b.closing:
		return true
	default:
		return false
	}
}

// await reports whether all listeners have ended before deadline.
func (b *Broadcaster) await(deadline time.Time) bool {
	b.mu.Lock()
	running := slices.Clone(b.running)
	b.mu.Unlock()
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	for _, l := range running {
		select {
		case <-l.ended:
		case <-timer.C:
			return false
		}
	}
	return true
}

// stuck returns the names of the listeners that have not ended.
func (b *Broadcaster) stuck() (names []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.running {
		names = append(names, l.name)
	}
	return names
}
