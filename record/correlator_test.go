package record

import (
	"math"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
)

// The order of events is in the model's test. Here are the numbers that client-go's users rely on, and what is at the edges.

func TestDefaultsOfTheCorrelator(t *testing.T) {
	fake := clocktesting.NewFakePassiveClock(time.Unix(1_700_000_000, 0))
	for name, correlator := range map[string]*EventCorrelator{
		"NewEventCorrelator":            NewEventCorrelator(fake),
		"NewEventCorrelatorWithOptions": NewEventCorrelatorWithOptions(CorrelatorOptions{Clock: fake}),
	} {
		written, combined := 0, 0
		for i := range 30 {
			result, err := correlator.EventCorrelate(eventAbout("a", "R", strings.Repeat("x", i), fake.Now()))
			if err != nil {
				t.Fatal(err)
			}
			if result.Skip {
				continue
			}
			written++
			if strings.HasPrefix(result.Event.Message, "(combined from similar events): ") {
				combined++
			}
		}
		if written != 25 || combined != 16 {
			t.Errorf("%s: of 30, %d are written and %d of these combined, want 25 and 16", name, written, combined)
		}
	}
}

func TestOptionsOfTheCorrelator(t *testing.T) {
	correlator := NewEventCorrelatorWithOptions(CorrelatorOptions{
		MaxEvents: 1, BurstSize: 2,
		KeyFunc:     func(*corev1.Event) (string, string) { return "all", "one" },
		MessageFunc: func(e *corev1.Event) string { return "all of " + e.InvolvedObject.Name },
		SpamKeyFunc: func(*corev1.Event) string { return "" },
	})
	for i, want := range []int32{1, 2, 0} {
		got, err := correlator.EventCorrelate(eventAbout(strings.Repeat("x", i+1), "R", "m", time.Now()))
		if err != nil {
			t.Fatal(err)
		}
		if want == 0 {
			if !got.Skip {
				t.Errorf("the third is not left out")
			}
		} else if got.Event.Count != want || got.Event.Message != "all of "+strings.Repeat("x", i+1) {
			t.Errorf("got %+v, want %d", got.Event, want)
		}
	}
}

func TestUpdateStateIsWhatThePatchIsAbout(t *testing.T) {
	correlator := NewEventCorrelator(clock.RealClock{})
	event := eventAbout("a", "R", "m", time.Now())
	if _, err := correlator.EventCorrelate(event); err != nil {
		t.Fatal(err)
	}
	server := event.DeepCopy()
	server.Name, server.ResourceVersion, server.Count = "other", "9", 7
	correlator.UpdateState(server)
	forgetful := server.DeepCopy()
	forgetful.Count = 0 // a server that does not keep counts
	correlator.UpdateState(forgetful)
	correlator.UpdateState(nil)
	got, err := correlator.EventCorrelate(event)
	if err != nil {
		t.Fatal(err)
	}
	if e := got.Event; e.Name != "other" || e.ResourceVersion != "9" || e.Count != 8 {
		t.Errorf("got %+v", e)
	}
	at, _ := event.LastTimestamp.MarshalJSON()
	if want := `{"count":8,"lastTimestamp":` + string(at) + `,"message":"m"}`; string(got.Patch) != want {
		t.Errorf("the patch is %s, want %s", got.Patch, want)
	}
}

func TestEdgesOfTheCorrelator(t *testing.T) {
	correlator := NewEventCorrelator(clock.RealClock{})
	if _, err := correlator.EventCorrelate(nil); err == nil {
		t.Error("nil is no event, but there is no error")
	}
	event := eventAbout("a", "R", "m", time.Now())
	event.Count = math.MaxInt32
	for range 2 {
		if got, _ := correlator.EventCorrelate(event); got.Event.Count != math.MaxInt32 {
			t.Errorf("the count is %d", got.Event.Count)
		}
	}
	// Made by hand, without a name.
	nameless := eventAbout("a", "R", "m", time.Now())
	nameless.Name = ""
	combined, _ := NewEventAggregator(1, EventAggregatorByReasonFunc, EventAggregatorByReasonMessageFunc, 1, 1, clock.RealClock{}).EventAggregate(nameless)
	if !strings.HasPrefix(combined.Name, "a.") {
		t.Errorf("the combined event is named %q", combined.Name)
	}
}

func TestKeysDoNotRunTogether(t *testing.T) {
	a, b := eventAbout("ab", "R", "m", time.Now()), eventAbout("a", "R", "m", time.Now())
	b.InvolvedObject.UID = "b"
	if sameEvent(a) == sameEvent(b) || sameSourceAndObject(a) == sameSourceAndObject(b) {
		t.Error("two objects have one key")
	}
	one, _ := EventAggregatorByReasonFunc(a)
	if other, _ := EventAggregatorByReasonFunc(b); one == other {
		t.Error("two objects have one key")
	}
}

func TestACacheOfNoSizeIsNotEndless(t *testing.T) {
	c := newCache(0)
	for i := range 5000 {
		c.Add(i, i)
	}
	if c.Len() != defaultCacheSize {
		t.Errorf("it has %d entries", c.Len())
	}
}
