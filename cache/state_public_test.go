package cache

import (
	"errors"
	"testing"

	"vedette.dev/internal/listwatch"
)

// TestStatesAreThoseOfTheReflector checks what stateFrom takes for granted: that numbers mean the same in both packages.
func TestStatesAreThoseOfTheReflector(t *testing.T) {
	for theirs, ours := range map[listwatch.Phase]Phase{
		listwatch.PhaseIdle: PhaseIdle, listwatch.PhaseListing: PhaseListing, listwatch.PhaseStreaming: PhaseStreaming,
		listwatch.PhaseWatching: PhaseWatching, listwatch.PhaseBackingOff: PhaseBackingOff, listwatch.PhaseStopped: PhaseStopped,
	} {
		wantEqual(t, "phase", Phase(theirs), ours)
	}
	counts := listwatch.FailureCounts{}
	for i := range counts {
		counts[i] = uint64(i + 1)
	}
	reason := 0
	for name, n := range failureCounts(counts).All() {
		wantEqual(t, "reason", name, listwatch.FailureReason(reason).String())
		wantEqual(t, name, n, counts[reason])
		reason++
	}
	wantEqual(t, "reasons", reason, len(counts))
	wantEqual(t, "total", failureCounts(counts).Total(), counts.Total())
	s := stateFrom(listwatch.State{Cause: &listwatch.UndecodableError{Key: "a"}})
	var unread *UndecodableError
	if !errors.As(s.Cause, &unread) || unread.Key != "a" {
		t.Errorf("the cause is %#v", s.Cause)
	}
}
