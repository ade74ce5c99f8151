package apitest

import (
	"time"

	"vedette.dev/apitest/internal/serve"
)

// late sends the frames of a watch after some time, in a goroutine of its own: the server goes on meanwhile, as it would if
// the frames were on a long way.
//
// Invariant: queue is in the order in which the frames were written, and only its first is looked at: one that is due waits for
// those before it. Everything is under the lock for writing of the watch.
type late struct {
	run   *watchRun
	queue []lateFrame
	err   error         // of the last write
	added chan struct{} // has one when the queue is no longer empty
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

// add takes a frame. The lock is held.
func (l *late) add(frame serve.Frame, lag time.Duration) error {
	l.queue = append(l.queue, lateFrame{frame, time.Now().Add(lag)})
	select {
	case l.added <- struct{}{}:
	default:
	}
	return l.err
}

// send sends what is due until the watch is over.
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

// sendDue sends what is due, and tells when the next is.
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
