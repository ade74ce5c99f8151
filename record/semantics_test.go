package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"

	"vedette.dev/rest"
)

// The tests of this file say what events mean to programs that were written for client-go.

var errDown = errors.New("connection refused")

func down(string, *corev1.Event) error { return errDown }

// 73. A recorder never blocks. A queue has room for 1,000 events; what comes when it is full is dropped, and the log says so.
func TestARecorderNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		sink := &memorySink{fail: func(string, *corev1.Event) error { <-release; return nil }}
		var log logBook
		b, recorder := started(t, Config{Logger: log.logger(0)}, sink)
		recorder.Event(podNamed("first"), "Normal", "Began", "the sink is busy with this")
		synctest.Wait()
		start := time.Now()
		for i := range 1500 {
			recorder.Event(podNamed(fmt.Sprint("pod-", i)), "Normal", "More", "of it")
		}
		if since := time.Since(start); since != 0 {
			t.Errorf("recording took %v", since)
		}
		if s := b.Stats(); s.Recorded != 1501 || s.Dropped != 500 || s.Waiting != 1000 {
			t.Errorf("got %+v, want 1000 waiting and 500 dropped", s)
		}
		if lines := log.lines(); len(lines) != 1 || !strings.Contains(lines[0], "Dropped event") {
			t.Errorf("the log has %q, want one line about dropped events", lines)
		}
		close(release)
		synctest.Wait()
		if s := b.Stats(); s.Written != 1001 || s.Waiting != 0 {
			t.Errorf("got %+v, want 1001 written", s)
		}
	})
}

// 73. A listener that is slow does not hold up another one.
func TestASlowListenerHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mustNew(t, Config{Queue: 3})
		release := make(chan struct{})
		b.StartEventWatcher(func(*corev1.Event) { <-release })
		var heard []string
		b.StartEventWatcher(func(e *corev1.Event) { heard = append(heard, e.Message) })
		recorder := b.NewRecorder(coreScheme(), testSource)
		var want []string
		for i := range 20 {
			recorder.Eventf(podNamed("a"), "Normal", "Ran", "%d", i)
			want = append(want, fmt.Sprint(i))
			synctest.Wait()
		}
		if !slices.Equal(heard, want) {
			t.Errorf("the quick one heard %v", heard)
		}
		if s := b.Stats(); s.Dropped != 16 || s.Waiting != 3 {
			t.Errorf("got %+v: the slow one is busy with one and has three waiting", s)
		}
		close(release)
		b.Shutdown()
	})
}

// 74. An event has the name of its object and the time, is in the namespace of the object, and has happened once, now.
func TestAnEventIsMadeOfItsObjectAndSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{}
		_, recorder := started(t, Config{}, sink)
		now := time.Now()
		recorder.AnnotatedEventf(podNamed("web"), map[string]string{"k": "v"}, "Warning", "BackOff", "failed %d times", 3)
		synctest.Wait()
		e := sink.only(t)
		if want := fmt.Sprintf("web.%x", now.UnixNano()); e.Name != want {
			t.Errorf("the name is %q, want %q", e.Name, want)
		}
		if e.Namespace != "ns" || e.Count != 1 || !e.FirstTimestamp.Time.Equal(now) || !e.LastTimestamp.Time.Equal(now) {
			t.Errorf("got %+v", e)
		}
		if e.Type != "Warning" || e.Reason != "BackOff" || e.Message != "failed 3 times" || e.Annotations["k"] != "v" {
			t.Errorf("got %+v", e)
		}
		if e.Source != testSource || e.ReportingController != "tester" || e.ReportingInstance != "node-1" {
			t.Errorf("got the source %+v, %q, %q", e.Source, e.ReportingController, e.ReportingInstance)
		}
		want := corev1.ObjectReference{
			Kind: "Pod", APIVersion: "v1", Namespace: "ns", Name: "web", UID: "uid-of-x", ResourceVersion: "7",
		}
		if e.InvolvedObject != want {
			t.Errorf("it is about %+v", e.InvolvedObject)
		}
		if !e.EventTime.IsZero() {
			t.Error("it has an event time, for which a server has stricter rules")
		}
	})
}

// 74. If name and time do not make a DNS name, the event has a UUID for a name. Objects without a namespace have their events
// in "default".
func TestNamesAndNamespacesThatAServerTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, name := range []string{"system:node:a", "UPPER", strings.Repeat("a", 253), ""} {
			sink := &memorySink{}
			_, recorder := started(t, Config{}, sink)
			recorder.Event(&corev1.ObjectReference{Kind: "ClusterRole", Name: name}, "Normal", "Seen", "it")
			synctest.Wait()
			e := sink.only(t)
			if bad := validation.IsDNS1123Subdomain(e.Name); len(bad) > 0 || len(e.Name) != 36 {
				t.Errorf("the event about %q is named %q: %v", name, e.Name, bad)
			}
			if e.Namespace != "default" {
				t.Errorf("it is in namespace %q", e.Namespace)
			}
		}
	})
}

// 75. Ten or more similar events with different messages become one.
func TestSimilarEventsAreCombined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{}
		_, recorder := started(t, Config{}, sink)
		for i := range 12 {
			recorder.Eventf(podNamed("a"), "Normal", "Pulled", "image %02d", i)
		}
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image 03")
		recorder.Event(podNamed("a"), "Normal", "Started", "another reason")
		synctest.Wait()
		want := []string{"1×Started: another reason"}
		for i := range 9 {
			want = append(want, fmt.Sprintf("%d×Pulled: image %02d", 1+max(0, 1-max(i-3, 3-i)), i))
		}
		want = append(want, "3×Pulled: (combined from similar events): image 11")
		slices.Sort(want)
		if got := sink.stored(); !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for _, e := range sink.events {
			if e.ReportingController != "tester" || e.ReportingInstance != "node-1" || e.Source != testSource {
				t.Errorf("the source of %q is %+v, %q, %q", e.Message, e.Source, e.ReportingController, e.ReportingInstance)
			}
		}
	})
}

// 75. Similar events are forgotten 600 seconds after the last of them.
func TestSimilarEventsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for wait, combined := range map[time.Duration]bool{600 * time.Second: true, 601 * time.Second: false} {
			sink := &memorySink{}
			_, recorder := started(t, Config{}, sink)
			for i := range 9 {
				recorder.Eventf(podNamed("a"), "Normal", "Pulled", "image %d", i)
			}
			time.Sleep(wait)
			recorder.Event(podNamed("a"), "Normal", "Pulled", "one more")
			synctest.Wait()
			got := slices.Contains(sink.stored(), "1×Pulled: (combined from similar events): one more")
			if got != combined {
				t.Errorf("after %v: combined is %v, want %v", wait, got, combined)
			}
		}
	})
}

// 75. Events that are the same are one that is counted: the first is created, the others are patches.
func TestTheSameEventIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{}
		_, recorder := started(t, Config{}, sink)
		first := time.Now()
		for range 3 {
			recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
			time.Sleep(time.Minute)
		}
		synctest.Wait()
		e := sink.only(t)
		if e.Count != 3 || e.LastTimestamp.Sub(first) != 2*time.Minute || !e.FirstTimestamp.Time.Equal(first) {
			t.Errorf("got %+v", e)
		}
		if want := []string{"create", "patch", "patch"}; !slices.Equal(sink.called(), want) {
			t.Errorf("the sink was called with %v, want %v", sink.called(), want)
		}
	})
}

// 75. A source may tell 25 events about an object, and one more in five minutes. Another object is another matter.
func TestTooManyEventsAboutOneObjectAreLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{}
		b, recorder := started(t, Config{}, sink)
		for range 40 {
			recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		}
		recorder.Event(podNamed("b"), "Normal", "Pulled", "image")
		recorder.Event(podNamed("a"), "Warning", "Pulled", "image")
		synctest.Wait()
		if s := b.Stats(); s.Written != 27 || s.Filtered != 15 {
			t.Errorf("got %+v, want 27 written and 15 left out", s)
		}
		time.Sleep(5*time.Minute + time.Second)
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		synctest.Wait()
		if s := b.Stats(); s.Written != 28 || s.Filtered != 16 {
			t.Errorf("after five minutes: got %+v, want one more written", s)
		}
		// What was left out was counted.
		if got := sink.stored(); !slices.Contains(got, "41×Pulled: image") {
			t.Errorf("the sink has %v, want 41", got)
		}
	})
}

// 76. An event that the server has forgotten is created again, with its count.
func TestAForgottenEventIsCreatedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{}
		_, recorder := started(t, Config{}, sink)
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		synctest.Wait()
		sink.mu.Lock()
		clear(sink.events)
		sink.mu.Unlock()
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		synctest.Wait()
		if e := sink.only(t); e.Count != 2 {
			t.Errorf("got %+v, want a count of 2", e)
		}
		if want := []string{"create", "patch", "create"}; !slices.Equal(sink.called(), want) {
			t.Errorf("the sink was called with %v, want %v", sink.called(), want)
		}
	})
}

// 76. When the server says no, or a request cannot be made, there is no second try.
func TestARefusedEventIsGivenUp(t *testing.T) {
	for name, refusal := range map[string]error{
		"forbidden":    apierrors.NewForbidden(eventsResource, "e", errors.New("no")),
		"unavailable":  apierrors.NewServiceUnavailable("shutting down"),
		"construction": &rest.RequestConstructionError{Err: errors.New("bad name")},
		"wrapped":      fmt.Errorf("the sink: %w", apierrors.NewForbidden(eventsResource, "e", errors.New("no"))),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink := &memorySink{fail: func(string, *corev1.Event) error { return refusal }}
				b, recorder := started(t, Config{}, sink)
				recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
				time.Sleep(time.Hour)
				synctest.Wait()
				if got := sink.called(); len(got) != 1 {
					t.Errorf("the sink was called %d times", len(got))
				}
				if s := b.Stats(); s.Failed != 1 || !errors.Is(s.LastError, refusal) {
					t.Errorf("got %+v", s)
				}
			})
		})
	}
}

// 76. Without an answer there are 12 tries, 10 seconds apart, the first pause being a random part of that.
func TestASinkThatIsDownIsTriedTwelveTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times []time.Time
		sink := &memorySink{fail: func(string, *corev1.Event) error { times = append(times, time.Now()); return errDown }}
		b, recorder := started(t, Config{}, sink)
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(times) != 12 {
			t.Fatalf("there were %d tries, want 12", len(times))
		}
		for i := 1; i < len(times); i++ {
			pause := times[i].Sub(times[i-1])
			if i == 1 && pause >= 10*time.Second || i > 1 && pause != 10*time.Second {
				t.Errorf("pause %d took %v", i, pause)
			}
		}
		if s := b.Stats(); s.Failed != 1 || s.Retried != 11 {
			t.Errorf("got %+v", s)
		}
		sink.set(nil)
		recorder.Event(podNamed("b"), "Normal", "Pulled", "image")
		synctest.Wait()
		if s := b.Stats(); s.Written != 1 {
			t.Errorf("the sink is up again, but: %+v", s)
		}
	})
}

// 76. After Shutdown there is one try.
func TestAfterShutdownThereIsOneTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{fail: down}
		b, recorder := started(t, Config{}, sink)
		for i := range 5 {
			recorder.Eventf(podNamed("a"), "Normal", "Pulled", "image %d", i)
		}
		synctest.Wait() // the first waits for its second try
		start := time.Now()
		b.Shutdown()
		if since := time.Since(start); since != 0 {
			t.Errorf("Shutdown took %v", since)
		}
		if got := sink.called(); len(got) != 5 {
			t.Errorf("the sink was called %d times, want once for each event", len(got))
		}
		checkSum(t, b.Stats())
	})
}

// 76. What the server returns is what the next patch is about.
func TestTheServersCopyCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		renaming := &renamingSink{}
		_, recorder := started(t, Config{}, renaming)
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		synctest.Wait()
		if renaming.patched != "renamed" {
			t.Errorf("%q was patched", renaming.patched)
		}
	})
}

type renamingSink struct {
	memorySink
	patched string
}

func (s *renamingSink) Create(event *corev1.Event) (*corev1.Event, error) {
	event.Name, event.Message = "renamed", "and other words"
	return s.memorySink.Create(event)
}

func (s *renamingSink) Patch(event *corev1.Event, data []byte) (*corev1.Event, error) {
	s.patched = event.Name
	return s.memorySink.Patch(event, data)
}

// 77. After Shutdown, a new listener gets an empty watch, and not nil.
func TestAfterShutdownThereIsNothingToHear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBroadcaster()
		b.Shutdown()
		w := b.StartEventWatcher(func(*corev1.Event) { t.Error("called") })
		b.NewRecorder(coreScheme(), testSource).Event(podNamed("a"), "Normal", "Late", "too late")
		if _, open := <-w.ResultChan(); open {
			t.Error("the watch has an event")
		}
		w.Stop()
		w.Stop()
		if s := StatsOf(b); s.Recorded != 0 || s.Refused != 1 {
			t.Errorf("got %+v", s)
		}
	})
}
