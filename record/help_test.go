package record

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

var eventsResource = schema.GroupResource{Resource: "events"}

var testSource = corev1.EventSource{Component: "tester", Host: "node-1"}

func coreScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		panic(err)
	}
	return scheme
}

func podNamed(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: "uid-of-" + "x", ResourceVersion: "7"}}
}

// memorySink keeps events as a server does, and does as it is told.
type memorySink struct {
	mu     sync.Mutex
	events map[string]*corev1.Event
	calls  []string
	// fail, if set, is called without the lock before anything is done.
	fail func(call string, event *corev1.Event) error
}

func (s *memorySink) begin(call string, event *corev1.Event) error {
	s.mu.Lock()
	s.calls = append(s.calls, call)
	fail := s.fail
	s.mu.Unlock()
	if fail == nil {
		return nil
	}
	return fail(call, event)
}

func (s *memorySink) Create(event *corev1.Event) (*corev1.Event, error) {
	if err := s.begin("create", event); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if event.ResourceVersion != "" {
		return nil, apierrors.NewBadRequest("resourceVersion should not be set on objects to be created")
	}
	if s.events[event.Name] != nil {
		return nil, apierrors.NewAlreadyExists(eventsResource, event.Name)
	}
	return s.put(event), nil
}

func (s *memorySink) Update(event *corev1.Event) (*corev1.Event, error) {
	panic("a recorder does not update")
}

func (s *memorySink) Patch(event *corev1.Event, data []byte) (*corev1.Event, error) {
	if err := s.begin("patch", event); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.events[event.Name]
	if old == nil {
		return nil, apierrors.NewNotFound(eventsResource, event.Name)
	}
	before, err := json.Marshal(old)
	if err != nil {
		return nil, err
	}
	after, err := strategicpatch.StrategicMergePatch(before, data, corev1.Event{})
	if err != nil {
		return nil, err
	}
	patched := &corev1.Event{}
	if err := json.Unmarshal(after, patched); err != nil {
		return nil, err
	}
	return s.put(patched), nil
}

func (s *memorySink) put(event *corev1.Event) *corev1.Event {
	if s.events == nil {
		s.events = map[string]*corev1.Event{}
	}
	stored := event.DeepCopy()
	stored.ResourceVersion = fmt.Sprint(len(s.calls))
	s.events[event.Name] = stored
	return stored.DeepCopy()
}

// stored is what the sink holds, as "count×reason: message", in order.
func (s *memorySink) stored() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var texts []string
	for _, e := range s.events {
		texts = append(texts, fmt.Sprintf("%d×%s: %s", e.Count, e.Reason, e.Message))
	}
	slices.Sort(texts)
	return texts
}

func (s *memorySink) only(t *testing.T) *corev1.Event {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.events) != 1 {
		t.Fatalf("the sink has %d events, want one", len(s.events))
	}
	for _, e := range s.events {
		return e
	}
	return nil
}

func (s *memorySink) called() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *memorySink) set(fail func(string, *corev1.Event) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = fail
}

func mustNew(t testing.TB, config Config) *Broadcaster {
	t.Helper()
	b, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// started is a broadcaster with a sink, and a recorder.
func started(t testing.TB, config Config, sink EventSink) (*Broadcaster, EventRecorderLogger) {
	t.Helper()
	b := mustNew(t, config)
	b.StartRecordingToSink(sink)
	t.Cleanup(b.Shutdown)
	return b, b.NewRecorder(coreScheme(), testSource)
}

// checkSum checks that each event of a broadcaster with one sink became something.
func checkSum(t testing.TB, s Stats) {
	t.Helper()
	if s.Recorded != s.Dropped+s.Filtered+s.Written+s.Failed {
		t.Errorf("the sum is wrong: %+v", s)
	}
}

// logBook is a log that can be read.
type logBook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBook) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.FieldsFunc(l.text.String(), func(r rune) bool { return r == '\n' })
}

func (l *logBook) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: level}))
}

func wantText(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}
