package apitest

import (
	"time"

	"vedette.dev/apitest/internal/serve"
)

// late sends the frames of a watch with a delay, in a goroutine of its own: the server continues meanwhile, as with
// network latency.
//
// Invariant: queue is in the order in which the frames were written, and only its first is checked: one that is due
// waits for those before it. Everything is guarded by the write lock of the watch.
type late struct {
	run   *watchRun
	queue []lateFrame
	err   error         // of the last write
	added chan struct{} // receives a value when the queue is no longer empty
	done  chan struct{} // closed when the goroutine has ended
}

type lateFrame struct {
	serve.Frame
	due time.Time
}

func newLate(run *watchRun) *late {
	l := &late{run: run, added: make(chan struct{}, 1), done: make(chan struct{})}
	go l.send()
	return l
}

// add queues a frame. The lock is held.
func (l *late) add(frame serve.Frame, lag time.Duration) error {
	l.queue = append(l.queue, lateFrame{frame, time.Now().Add(lag)})
	select {
	case l.added <- struct{}{}:
	default:
	}
	return l.err
}

// send sends due frames until the watch ends.
func (l *late) send() {
	defer close(l.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-l.added:
		case <-l.run.r.Context().Done():
			return
		case <-l.run.faults.stop.Done():
			return
		}
		if next, ok := l.sendDue(); ok {
			timer.Reset(time.Until(next))
		}
	}
}

// sendDue sends due frames, and returns when the next one is due.
func (l *late) sendDue() (next time.Time, ok bool) {
	l.run.writing.Lock()
	defer l.run.writing.Unlock()
	now := time.Now()
	_, ended := l.run.state()
	sent := false
	for len(l.queue) > 0 && !l.queue[0].due.After(now) && l.err == nil && ended == nil {
		l.err = l.run.out.WriteFrame(l.queue[0].Frame)
		l.queue = l.queue[1:]
		sent = true
	}
	if sent && l.err == nil {
		l.err = l.run.out.Flush()
	}
	if len(l.queue) == 0 || l.err != nil {
		return time.Time{}, false
	}
	return l.queue[0].due, true
}

// sendAll sends everything now. The lock is held.
func (l *late) sendAll() {
	for _, frame := range l.queue {
		if l.err == nil {
			l.err = l.run.out.WriteFrame(frame.Frame)
		}
	}
	l.queue = nil
}

// wait waits for the goroutine, which ends with the watch.
func (l *late) wait() { <-l.done }
