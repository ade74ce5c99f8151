package events_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/events"
	"vedette.dev/kubernetes"
	"vedette.dev/kubernetes/fake"
	"vedette.dev/kubernetes/scheme"
	"vedette.dev/record"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	pod  = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns", UID: "u"}}
	node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
)

// memory is a sink that remembers what was written.
type memory struct {
	mu     sync.Mutex
	log    []string
	events map[string]*eventsv1.Event
	fail   error
}

func (m *memory) write(verb string, event *eventsv1.Event) (*eventsv1.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return nil, m.fail
	}
	count := int32(1)
	if event.Series != nil {
		count = event.Series.Count
	}
	m.log = append(m.log, fmt.Sprintf("%s %s %d", verb, event.Reason, count))
	if m.events == nil {
		m.events = map[string]*eventsv1.Event{}
	}
	m.events[event.Name] = event.DeepCopy()
	return event, nil
}

func (m *memory) Create(_ context.Context, e *eventsv1.Event) (*eventsv1.Event, error) {
	return m.write("create", e)
}
func (m *memory) Update(_ context.Context, e *eventsv1.Event) (*eventsv1.Event, error) {
	return m.write("update", e)
}
func (m *memory) Patch(_ context.Context, e *eventsv1.Event, data []byte) (*eventsv1.Event, error) {
	if !strings.HasPrefix(string(data), `{"series":{"count":`) {
		return nil, fmt.Errorf("a patch %s", data)
	}
	return m.write("patch", e)
}

func (m *memory) written() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.log)
}

func TestSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memory{}
		b := events.NewBroadcaster(sink)
		defer b.Shutdown()
		if err := b.StartRecordingToSinkWithContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := b.NewRecorder(scheme.Scheme, "ctrl")
		r.(events.AnnotatedEventRecorder).AnnotatedEventf(pod, node, map[string]string{"a": "b"}, "Normal", "Assigned", "Binding", "to %s", "n")
		r.Eventf(pod, node, "Normal", "Assigned", "Binding", "another note")
		r.Eventf(pod, nil, "Normal", "Assigned", "Binding", "to n") // not related to the node: another series
		r.Eventf(pod, node, "Normal", "Assigned", "Binding", "to n")
		synctest.Wait()
		want := []string{"create Assigned 1", "patch Assigned 2", "create Assigned 1", "patch Assigned 3"}
		if got := sink.written(); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		for _, e := range sink.events {
			if e.Related == nil {
				continue
			}
			if e.Action != "Binding" || e.Related.Name != "n" || e.Regarding.Name != "p" || e.Regarding.Kind != "Pod" || e.Namespace != "ns" ||
				e.ReportingController != "ctrl" || !strings.HasPrefix(e.ReportingInstance, "ctrl-") || e.EventTime.IsZero() {
				t.Errorf("%+v", e)
			}
		}
		if s := b.(record.StatsReader).Stats(); s.Written != 4 || s.Recorded != 4 {
			t.Errorf("%+v", s)
		}
	})
}

func TestAnnotations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memory{}
		b := events.NewBroadcaster(sink)
		b.StartRecordingToSink(nil)
		r := b.NewRecorder(scheme.Scheme, "ctrl").(events.AnnotatedEventRecorder)
		r.AnnotatedEventf(pod, nil, map[string]string{"a": "b"}, "Normal", "R", "A", "note")
		b.Shutdown() // writes what is queued
		for _, e := range sink.events {
			if e.Annotations["a"] != "b" || e.Note != "note" {
				t.Errorf("%+v", e)
			}
		}
		if len(sink.events) != 1 {
			t.Errorf("%v", sink.events)
		}
	})
}

// TestFlood: repetitions are counted but not all written, and other events are not held up by them.
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memory{}
		b := events.NewBroadcaster(sink)
		defer b.Shutdown()
		b.StartRecordingToSink(nil)
		r := b.NewRecorder(scheme.Scheme, "ctrl")
		for i := range 500 {
			r.Eventf(pod, nil, "Warning", "Again", "Trying", "attempt %d", i)
		}
		r.Eventf(pod, nil, "Warning", "Other", "Trying", "x")
		synctest.Wait()
		log := sink.written()
		if len(log) != 26 || log[0] != "create Again 1" || log[25] != "create Other 1" {
			t.Errorf("%d writes: %q", len(log), log)
		}
		time.Sleep(5 * time.Minute)
		r.Eventf(pod, nil, "Warning", "Again", "Trying", "later")
		synctest.Wait()
		if log = sink.written(); log[len(log)-1] != "patch Again 501" {
			t.Errorf("%q", log[len(log)-1])
		}
	})
}

func TestListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := events.NewBroadcaster(&memory{fail: apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("no"))})
		if err := b.StartRecordingToSinkWithContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		var seen []string
		stop, err := b.StartEventWatcher(func(obj runtime.Object) {
			e := obj.(*eventsv1.Event)
			seen = append(seen, e.Reason+" "+e.Action+" "+e.Note)
		})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		logger := funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{})
		if _, err := b.StartLogging(logger); err != nil {
			t.Fatal(err)
		}
		slog.SetDefault(slog.New(slog.DiscardHandler))
		b.StartStructuredLogging(3)
		r := b.NewRecorder(scheme.Scheme, "ctrl")
		r.Eventf(pod, nil, "Normal", "R", "A", "note %d", 1)
		r.Eventf(pod, nil, "Odd", "R", "A", "an unknown type")
		r.Eventf(nil, nil, "Normal", "R", "A", "no object")
		synctest.Wait()
		stop()
		r.Eventf(pod, nil, "Normal", "R", "A", "note %d", 2)
		synctest.Wait()
		if !slices.Equal(seen, []string{"R A note 1"}) || len(lines) != 2 || !strings.Contains(lines[0], `"object"="ns/p"`) {
			t.Errorf("%q, %q", seen, lines)
		}
		b.Shutdown()
		if err := b.StartRecordingToSinkWithContext(t.Context()); err == nil {
			t.Error("it records after Shutdown")
		}
		if _, err := b.StartEventWatcher(func(runtime.Object) {}); err == nil {
			t.Error("it watches after Shutdown")
		}
		if s := b.(record.StatsReader).Stats(); s.Refused != 2 || s.Failed != 2 {
			t.Errorf("%+v", s)
		}
	})
}

// TestServer writes to a server, which checks events as the real one does.
func TestServer(t *testing.T) {
	server, err := apitest.Start(apitest.Config{CreateNamespaces: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	client := kubernetes.NewForConfigOrDie(server.RESTConfig())
	t.Cleanup(client.CoreV1().RESTClient().(*rest.RESTClient).Client.CloseIdleConnections)
	if _, err := server.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ns"}}); err != nil {
		t.Fatal(err)
	}
	a := events.NewEventBroadcasterAdapter(client)
	a.StartRecordingToSink(t.Context().Done())
	r := a.NewRecorder("ctrl")
	for i := range 3 {
		r.Eventf(pod, node, "Normal", "Assigned", "Binding", "note %d", i)
	}
	a.DeprecatedNewLegacyRecorder("old").Event(pod, "Normal", "Legacy", "of core/v1")
	a.Shutdown()
	list, err := client.EventsV1().Events("ns").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	at := slices.IndexFunc(list.Items, func(e eventsv1.Event) bool { return e.Reason == "Assigned" })
	if e := list.Items[at]; e.Series == nil || e.Series.Count != 3 || e.Note != "note 0" || e.Related.Name != "n" || e.ReportingController != "ctrl" {
		t.Errorf("%+v", e)
	}
	selector, err := events.GetFieldSelector(eventsv1.SchemeGroupVersion, corev1.SchemeGroupVersion.WithKind("Pod"), "p", "u")
	if err != nil {
		t.Fatal(err)
	}
	if list, err = client.EventsV1().Events("ns").List(t.Context(), metav1.ListOptions{FieldSelector: selector.String()}); err != nil || len(list.Items) != 2 {
		t.Errorf("%s: %v, %v", selector, list, err)
	}
	s := &events.EventSinkImpl{Interface: client.EventsV1()}
	e := list.Items[at].DeepCopy()
	e.Series.Count = 9
	if updated, err := s.Update(t.Context(), e); err != nil || updated.Series.Count != 9 {
		t.Errorf("%v, %v", updated, err)
	}
	for _, call := range []func(context.Context, *eventsv1.Event) (*eventsv1.Event, error){s.Create, s.Update} {
		if _, err := call(t.Context(), &eventsv1.Event{}); err == nil || !strings.Contains(err.Error(), "namespace") {
			t.Error(err)
		}
	}
}

// TestAdapterWithoutTheGroup: a server without events.k8s.io/v1 gets events of core/v1.
func TestAdapterWithoutTheGroup(t *testing.T) {
	client := fake.NewSimpleClientset()
	client.Resources = []*metav1.APIResourceList{{GroupVersion: "v1"}}
	a := events.NewEventBroadcasterAdapterWithContext(t.Context(), client)
	a.StartRecordingToSink(t.Context().Done())
	a.NewRecorder("ctrl").Eventf(pod, node, "Normal", "R", "A", "note")
	a.Shutdown()
	list, err := client.CoreV1().Events("ns").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].Source.Component != "ctrl" || list.Items[0].Action != "A" {
		t.Errorf("%v, %v", list, err)
	}
}

func TestFakeRecorder(t *testing.T) {
	f := events.NewFakeRecorder(2)
	f.Eventf(pod, nil, "Normal", "R%", "A", "note %d", 1)
	typed := pod.DeepCopy()
	typed.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	f.Verbose = true
	f.AnnotatedEventf(typed, node, map[string]string{"a": "b"}, "Normal", "R", "A", "note")
	if got := []string{<-f.Events, <-f.Events}; !slices.Equal(got, []string{"Normal R% note 1", "Normal R A note {kind=Pod,apiVersion=v1} map[a:b]"}) {
		t.Errorf("%q", got)
	}
	(&events.FakeRecorder{}).Eventf(pod, nil, "Normal", "R", "A", "dropped")
}

func TestGetFieldSelector(t *testing.T) {
	for _, tt := range []struct {
		version schema.GroupVersion
		want    string
	}{
		{corev1.SchemeGroupVersion, "involvedObject.apiVersion=apps/v1,involvedObject.kind=Deployment,involvedObject.name=d,involvedObject.uid=u"},
		{eventsv1.SchemeGroupVersion, "regarding.apiVersion=apps/v1,regarding.kind=Deployment,regarding.name=d,regarding.uid=u"},
		{schema.GroupVersion{Version: "v2"}, ""},
	} {
		got, err := events.GetFieldSelector(tt.version, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, "d", "u")
		if tt.want == "" && err == nil || tt.want != "" && (err != nil || got.String() != tt.want) {
			t.Errorf("%v, %v", got, err)
		}
	}
	if got, err := events.GetFieldSelector(eventsv1.SchemeGroupVersion, schema.GroupVersionKind{}, "x", ""); err != nil || got.String() != "regarding.name=x" {
		t.Errorf("%v, %v", got, err)
	}
}
