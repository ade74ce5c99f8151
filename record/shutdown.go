package record

import (
	"log/slog"
	"slices"
	"time"
)

// Shutdown ends the broadcaster. What is recorded from now on is refused. What is in the queues is still handled, with one
// try to write each event, for Config.ShutdownTimeout; what remains then is dropped, and writes under way are given up.
// When it returns, nothing of the broadcaster runs. The one exception is a handler, or a sink that is no ContextEventSink,
// that does not return: Shutdown waits a second longer for it, and then says so and leaves it alone.
//
// It may be called more than once, and by many; each call waits. A handler should not call it: it would wait for itself.
func (b *Broadcaster) Shutdown() {
	b.stopOnce.Do(func() {
		if b.stopAfter() {
			close(b.ended) // it will never begin
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
			"the broadcaster is shut down, but a handler or a sink does not return", "listeners", b.stuck())
	}
}

// close lets nothing more into the queues, and tells until when they may be worked off.
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

// isClosing tells whether Shutdown has begun.
func (b *Broadcaster) isClosing() bool {
	select {
	case <-b.closing:
		return true
	default:
		return false
	}
}

// await tells whether all listeners have ended before a time.
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

// stuck names the listeners that have not ended.
func (b *Broadcaster) stuck() (names []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.running {
		names = append(names, l.name)
	}
	return names
}
