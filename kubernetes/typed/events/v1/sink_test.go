package v1_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"vedette.dev/apitest"
	typedeventsv1 "vedette.dev/kubernetes/typed/events/v1"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	first = metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC))
	last  = metav1.NewTime(first.Add(time.Minute))
)

func coreEvent() *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: "default", Name: "web.1", Annotations: map[string]string{"k": "v"}},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: "default", Name: "web", UID: "u"},
		Type:           "Warning", Reason: "BackOff", Message: "it failed", Count: 1,
		FirstTimestamp: first, LastTimestamp: last,
		Source:              corev1.EventSource{Component: "kubelet", Host: "node-1"},
		ReportingController: "kubelet", ReportingInstance: "node-1",
	}
}

func newSink(t testing.TB) (*typedeventsv1.EventSinkImpl, *typedeventsv1.EventsV1Client) {
	t.Helper()
	config := apitest.New(t, apitest.Config{InProcess: true}).RESTConfig()
	config.QPS = -1
	client := typedeventsv1.NewForConfigOrDie(config)
	return &typedeventsv1.EventSinkImpl{Interface: client}, client
}

func TestFromCoreAndBack(t *testing.T) {
	event := coreEvent()
	event.Count, event.Related, event.Action = 7, &corev1.ObjectReference{Kind: "Node", Name: "n"}, "Restarting"
	got := typedeventsv1.FromCore(event)
	if got.EventTime != metav1.MicroTime(first) || got.Series == nil || got.Series.Count != 7 || got.Series.LastObservedTime != metav1.MicroTime(last) {
		t.Errorf("times and counts: %+v", got)
	}
	if got.Regarding != event.InvolvedObject || *got.Related != *event.Related || got.Note != "it failed" || got.Action != "Restarting" ||
		got.Reason != "BackOff" || got.Type != "Warning" || got.ReportingController != "kubelet" || got.ReportingInstance != "node-1" {
		t.Errorf("got %+v", got)
	}
	if got.DeprecatedCount != 0 || !got.DeprecatedFirstTimestamp.IsZero() || !got.DeprecatedLastTimestamp.IsZero() || got.DeprecatedSource != (corev1.EventSource{}) {
		t.Errorf("fields of old are set: %+v", got)
	}
	got.Annotations["k"], got.Related.Name = "changed", "changed"
	if event.Annotations["k"] != "v" || event.Related.Name != "n" {
		t.Error("the two share memory")
	}
	back := typedeventsv1.ToCore(typedeventsv1.FromCore(event))
	if back.Count != 7 || !back.FirstTimestamp.Equal(&first) || !back.LastTimestamp.Equal(&last) || back.Source != event.Source ||
		back.Message != event.Message || back.InvolvedObject != event.InvolvedObject {
		t.Errorf("back: %+v", back)
	}
	one := typedeventsv1.ToCore(typedeventsv1.FromCore(coreEvent()))
	if one.Count != 1 || one.Series != nil || !one.LastTimestamp.Equal(&first) {
		t.Errorf("a single one: %+v", one)
	}
}

// An event that was written by core/v1 keeps its count and its times in the fields of old.
func TestToCoreOfAnOldEvent(t *testing.T) {
	got := typedeventsv1.ToCore(&eventsv1.Event{
		DeprecatedCount: 3, DeprecatedFirstTimestamp: first, DeprecatedLastTimestamp: last,
		DeprecatedSource: corev1.EventSource{Component: "old"}, ReportingController: "new",
	})
	if got.Count != 3 || !got.FirstTimestamp.Equal(&first) || !got.LastTimestamp.Equal(&last) || got.Source.Component != "old" {
		t.Errorf("got %+v", got)
	}
}

func TestWhatIsMissingIsFilledInAndWhatIsTooLongIsCut(t *testing.T) {
	host, _ := os.Hostname()
	long := strings.Repeat("ü", 600)
	event := coreEvent()
	event.ReportingController, event.ReportingInstance, event.Source = "", "", corev1.EventSource{}
	event.Reason, event.Message = "", long
	event.FirstTimestamp, event.LastTimestamp = metav1.Time{}, metav1.Time{}
	got := typedeventsv1.FromCore(event)
	if got.ReportingController != "Unknown" || got.ReportingInstance != "Unknown-"+host || got.Reason != "Unknown" || got.Action != "Unknown" {
		t.Errorf("got %+v", got)
	}
	if len(got.Note) > 1024 || len(got.Note) < 1020 || !utf8.ValidString(got.Note) || !strings.HasSuffix(got.Note, "…") {
		t.Errorf("the note has %d bytes: %s", len(got.Note), got.Note)
	}
	if got.EventTime.IsZero() {
		t.Error("it has no time")
	}
	for name, want := range map[string]string{
		"my controller":          "my-controller",
		"-x-":                    "x",
		"a/b/c":                  "a-b-c",
		"example.com/ctrl":       "example.com/ctrl",
		strings.Repeat("x", 100): strings.Repeat("x", 63),
		"ü":                      "Unknown",
	} {
		event.Source.Component = name
		if got := typedeventsv1.FromCore(event).ReportingController; got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
}

func TestSink(t *testing.T) {
	sink, client := newSink(t)
	event := coreEvent()
	created, err := sink.Create(event)
	if err != nil {
		t.Fatal(err)
	}
	if created.ResourceVersion == "" || created.Count != 1 || created.Message != "it failed" {
		t.Errorf("created %+v", created)
	}
	event.Count, event.Message = 5, "the text cannot be changed"
	patched, err := sink.Patch(event, []byte(`{"count":5,"message":"the text cannot be changed"}`))
	if err != nil {
		t.Fatal(err)
	}
	if patched.Count != 5 || patched.Message != "it failed" || patched.LastTimestamp.Unix() != last.Unix() {
		t.Errorf("patched %+v", patched)
	}
	patched.Count = 6
	updated, err := sink.Update(patched)
	if err != nil {
		t.Fatal(err)
	}
	if updated.Count != 6 {
		t.Errorf("updated %+v", updated)
	}
	stored, err := client.Events("default").Get(t.Context(), "web.1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if stored.Series == nil || stored.Series.Count != 6 || stored.Action != "BackOff" {
		t.Errorf("the server has %+v", stored)
	}
	event.Name = "other"
	if _, err := sink.Patch(event, nil); !apierrors.IsNotFound(err) {
		t.Errorf("a patch of what is not there: %v", err)
	}
	event.Namespace = ""
	var construction *rest.RequestConstructionError
	for _, call := range []func() (*corev1.Event, error){
		func() (*corev1.Event, error) { return sink.Create(event) },
		func() (*corev1.Event, error) { return sink.Update(event) },
		func() (*corev1.Event, error) { return sink.Patch(event, nil) },
	} {
		if _, err := call(); !errors.As(err, &construction) || !strings.Contains(err.Error(), "has no namespace") {
			t.Errorf("without a namespace: %v", err)
		}
	}
}

// A server that checks events as the real one does takes whatever there may be in an event of core/v1.
func TestTheServerTakesAllEvents(t *testing.T) {
	sink, _ := newSink(t)
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "x", "Some-thing.x", "a/b", strings.Repeat("y", 1500), strings.Repeat("ü", 64)}), rapid.String())
	times := rapid.SampledFrom([]metav1.Time{{}, first, last})
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		event := coreEvent()
		event.Name = fmt.Sprint("event-", n)
		event.Reason, event.Message = text.Draw(t, "reason"), text.Draw(t, "message")
		event.Action = text.Draw(t, "action")
		event.ReportingController, event.ReportingInstance = text.Draw(t, "controller"), text.Draw(t, "instance")
		event.Source = corev1.EventSource{Component: text.Draw(t, "component"), Host: text.Draw(t, "host")}
		event.FirstTimestamp, event.LastTimestamp = times.Draw(t, "first"), times.Draw(t, "last")
		event.EventTime = metav1.MicroTime(times.Draw(t, "time"))
		event.Count = rapid.SampledFrom([]int32{0, 1, 2, math.MaxInt32}).Draw(t, "count")
		if rapid.Bool().Draw(t, "series") {
			event.Series = &corev1.EventSeries{
				Count: rapid.Int32Range(0, 3).Draw(t, "series count"), LastObservedTime: metav1.MicroTime(times.Draw(t, "series time")),
			}
		}
		written, err := sink.Create(event)
		if err != nil {
			t.Fatalf("create: %v", err)
		}
		event.Count = max(2, event.Count)
		if _, err := sink.Patch(event, nil); err != nil {
			t.Fatalf("patch: %v", err)
		}
		written.ResourceVersion, written.Count = "", event.Count
		if _, err := sink.Update(written); err != nil {
			t.Fatalf("update: %v", err)
		}
	})
}
