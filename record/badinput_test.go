package record

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
)

func TestWhatCannotBeRecordedIsSaid(t *testing.T) {
	for name, tt := range map[string]struct {
		scheme *kruntime.Scheme
		object kruntime.Object
		kind   string
		want   string
	}{
		"nil":                     {coreScheme(), nil, "Normal", "it is nil"},
		"a nil pod":               {coreScheme(), (*corev1.Pod)(nil), "Normal", "it is nil"},
		"no scheme":               {nil, podNamed("a"), "Normal", "does not say its kind"},
		"a kind nobody knows":     {coreScheme(), &metav1.PartialObjectMetadata{}, "Normal", "cannot tell the kind"},
		"a type that is none":     {coreScheme(), podNamed("a"), "Error", "must be \\\"Normal\\\" or \\\"Warning\\\""},
		"an empty type":           {coreScheme(), podNamed("a"), "", "must be"},
		"the type in small print": {coreScheme(), podNamed("a"), "normal", "must be"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink := &memorySink{}
				var log, other logBook
				b := mustNew(t, Config{Logger: log.logger(0)})
				b.StartRecordingToSink(sink)
				recorder := b.NewRecorder(tt.scheme, testSource)
				recorder.Event(tt.object, tt.kind, "Pulled", "image")
				recorder.Event(tt.object, tt.kind, "Pulled", "image")
				time.Sleep(complaintInterval)
				recorder.WithLogger(logr.FromSlogHandler(other.logger(0).Handler())).Event(tt.object, tt.kind, "Pulled", "image")
				b.Shutdown()
				if s := b.Stats(); s.Refused != 3 || s.Recorded != 0 || len(sink.called()) != 0 {
					t.Errorf("got %+v", s)
				}
				for _, l := range []*logBook{&log, &other} {
					if lines := l.lines(); len(lines) != 1 {
						t.Errorf("the log has %q, want one line", lines)
					} else {
						wantText(t, lines[0], "Event not recorded", tt.want, "reason=Pulled")
					}
				}
			})
		})
	}
}

func TestLongAndBrokenMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, message := range []string{strings.Repeat("x", 1<<20), strings.Repeat("x", maxMessage-4) + strings.Repeat("ü", 9), "a\xffb", ""} {
			sink := &memorySink{}
			_, recorder := started(t, Config{}, sink)
			recorder.Event(podNamed("a"), "Normal", "Long", message)
			synctest.Wait()
			got := sink.only(t).Message
			if len(got) > maxMessage+2 || !utf8.ValidString(got) {
				t.Errorf("a message of %d bytes became one of %d", len(message), len(got))
			}
			if len(message) > maxMessage && (!strings.HasSuffix(got, ellipsis) || len(got) < maxMessage-8) {
				t.Errorf("a message of %d bytes ends in %q, after %d bytes", len(message), got[len(got)-9:], len(got))
			}
		}
	})
}

func TestTheCallersMapStaysTheirs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{}
		b, recorder := started(t, Config{}, sink)
		b.StartEventWatcher(func(e *corev1.Event) { e.Annotations["k"], e.Message = "handler", "changed" })
		annotations := map[string]string{"k": "v"}
		recorder.AnnotatedEventf(podNamed("a"), annotations, "Normal", "Pulled", "image")
		annotations["k"] = "caller"
		synctest.Wait()
		if e := sink.only(t); e.Annotations["k"] != "v" || e.Message != "image" {
			t.Errorf("got %v, %q", e.Annotations, e.Message)
		}
	})
}

func TestEventsOfOneMomentHaveDifferentNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where time stands still
		sink := &memorySink{}
		b, recorder := started(t, Config{}, sink)
		for i := range 20 {
			recorder.Eventf(podNamed("a"), "Normal", fmt.Sprint("Reason", i), "image")
		}
		synctest.Wait()
		if s := b.Stats(); s.Written != 20 || len(sink.events) != 20 {
			t.Errorf("got %+v and %d events", s, len(sink.events))
		}
	})
}

func TestASinkThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{fail: func(_ string, e *corev1.Event) error {
			if e.Reason == "Bad" {
				panic("the sink is broken")
			}
			return nil
		}}
		var log logBook
		b, recorder := started(t, Config{Logger: log.logger(0)}, sink)
		recorder.Event(podNamed("a"), "Normal", "Bad", "image")
		recorder.Event(podNamed("a"), "Normal", "Good", "image")
		synctest.Wait()
		s := b.Stats()
		if s.Panics != 1 || s.Failed != 1 || s.Written != 1 {
			t.Errorf("got %+v", s)
		}
		checkSum(t, s)
		wantText(t, strings.Join(log.lines(), "\n"), "Event listener panicked", "the sink is broken", "badinput_test.go")
	})
}

// A sink that calls runtime.Goexit, as t.FailNow does, costs one event, which is counted, and not all that follow.
func TestASinkThatEndsItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{fail: func(_ string, e *corev1.Event) error {
			if e.Reason == "Bad" {
				runtime.Goexit()
			}
			return nil
		}}
		var log logBook
		b, recorder := started(t, Config{Logger: log.logger(0)}, sink)
		for range 3 {
			recorder.Event(podNamed("a"), "Normal", "Bad", "image")
			recorder.Event(podNamed("a"), "Normal", "Good", "image")
		}
		synctest.Wait()
		s := b.Stats()
		if s.Panics != 3 || s.Failed != 3 || s.Written != 3 || s.Listeners != 1 {
			t.Errorf("got %+v", s)
		}
		checkSum(t, s)
		wantText(t, strings.Join(log.lines(), "\n"), "Event listener called runtime.Goexit")
	})
}

func TestAHandlerThatPanicsOrEndsItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := mustNew(t, Config{})
		recorder := b.NewRecorder(coreScheme(), testSource)
		b.StartEventWatcher(func(*corev1.Event) { panic(errors.New("handler")) })
		ends := b.StartEventWatcher(func(*corev1.Event) { runtime.Goexit() })
		for range 3 {
			recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		}
		synctest.Wait()
		if s := b.Stats(); s.Panics != 6 || s.Listeners != 2 || s.Dropped != 0 {
			t.Errorf("got %+v", s)
		}
		b.Shutdown()
		<-ends.ResultChan()
	})
}

func TestANamespaceThatGoesIsNotAnError(t *testing.T) {
	going := apierrors.NewForbidden(eventsResource, "e", errors.New("namespace ns is being terminated"))
	going.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	for name, tt := range map[string]struct {
		err   error
		lines int
	}{
		"terminating": {going, 0},
		"gone":        {apierrors.NewNotFound(eventsResource, "ns"), 1},
		"taken":       {apierrors.NewAlreadyExists(eventsResource, "e"), 0},
		"forbidden":   {apierrors.NewForbidden(eventsResource, "e", errors.New("no")), 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sink := &memorySink{fail: func(string, *corev1.Event) error { return tt.err }}
				var log logBook
				b, recorder := started(t, Config{Logger: log.logger(slog.LevelInfo)}, sink)
				recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
				synctest.Wait()
				if s := b.Stats(); s.Failed != 1 || len(log.lines()) != tt.lines {
					t.Errorf("got %+v and the log %q, want %d lines", s, log.lines(), tt.lines)
				}
			})
		})
	}
}

// A create whose answer was lost is done. The second try finds the event there.
func TestALostAnswerIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := &losingSink{}
		b, recorder := started(t, Config{}, lost)
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		time.Sleep(time.Minute)
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		synctest.Wait()
		if s := b.Stats(); s.Written != 2 || s.Failed != 0 || lost.only(t).Count != 2 {
			t.Errorf("got %+v", s)
		}
	})
}

// losingSink loses the first answer.
type losingSink struct {
	memorySink
	lost bool
}

func (s *losingSink) Create(event *corev1.Event) (*corev1.Event, error) {
	got, err := s.memorySink.Create(event)
	if !s.lost {
		s.lost = true
		return nil, errDown
	}
	return got, err
}

func TestASinkThatReturnsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, recorder := started(t, Config{}, emptySink{})
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		synctest.Wait()
		if s := b.Stats(); s.Written != 2 || s.Panics != 0 {
			t.Errorf("got %+v", s)
		}
	})
}

type emptySink struct{}

func (emptySink) Create(*corev1.Event) (*corev1.Event, error)        { return nil, nil }
func (emptySink) Update(*corev1.Event) (*corev1.Event, error)        { return nil, nil }
func (emptySink) Patch(*corev1.Event, []byte) (*corev1.Event, error) { return nil, nil }
