package queue

import (
	"strings"
	"testing"
	"time"

	"vedette.dev/bench/internal/benchtest"
)

// The workloads must notice a queue that does not keep its word. Each test below breaks one
// promise.

func TestTallyNoticesAKeyHandedOutTwice(t *testing.T) {
	tally := newTally(2, 2)
	tally.note(0)
	tally.note(0)
	wantError(t, tally.once(), "handed out 2 times")
	wantError(t, tally.exactly(2), "never handed out")
}

func TestTallyNoticesMissingHandOuts(t *testing.T) {
	tally := newTally(1, 3)
	tally.note(0)
	wantError(t, tally.exactly(3), "1 hand-outs, want 3")
}

func TestHandNoticesASecondHolder(t *testing.T) {
	var h hand
	h.take()
	h.release()
	h.take()
	if err := h.check(0); err != nil {
		t.Errorf("one after the other: %v", err)
	}
	h.take()
	wantError(t, h.check(0), "in two hands")
}

func TestHotNoticesALostAdd(t *testing.T) {
	var s hotState
	s.written.Store(4)
	s.seen.Store(3)
	wantError(t, s.check(0, 4), "version 4 of 4 written, 3 seen")
}

func TestLatenessNoticesAKeyThatCameEarly(t *testing.T) {
	l := newLateness(1, 1)
	l.start = time.Now()
	l.promise(0, time.Hour)
	l.arrive(0, 0)
	_, err := l.sample()
	wantError(t, err, "before it was due")
}

func TestPercentile(t *testing.T) {
	values := []time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for share, want := range map[float64]time.Duration{0: 1, 0.5: 5, 0.99: 10, 1: 10} {
		if got := percentile(values, share); got != want {
			t.Errorf("percentile(%v) = %d, want %d", share, got, want)
		}
	}
}

// Every workload runs here in a small size on each of its sides, so that the race detector
// sees the drivers too: the program itself measures in other processes.
func TestWorkloadsDoTheirWork(t *testing.T) {
	benchtest.Workloads(t, Workloads(), benchtest.Options{})
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("got error %v, want one with %q", err, part)
	}
}
