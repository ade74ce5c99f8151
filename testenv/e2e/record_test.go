package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/kubernetes"
	"vedette.dev/kubernetes/scheme"
	typedcorev1 "vedette.dev/kubernetes/typed/core/v1"
	typedeventsv1 "vedette.dev/kubernetes/typed/events/v1"
	"vedette.dev/record"
)

var recordSinks = map[string]func(kubernetes.Interface) record.EventSink{
	"core": func(c kubernetes.Interface) record.EventSink {
		return &typedcorev1.EventSinkImpl{Interface: c.CoreV1().Events("")}
	},
	"events.k8s.io": func(c kubernetes.Interface) record.EventSink {
		return &typedeventsv1.EventSinkImpl{Interface: c.EventsV1()}
	},
}

// recording makes a broadcaster with a sink, and a pod in a namespace of its own.
func recording(t *testing.T, client kubernetes.Interface, group string) (*record.Broadcaster, *corev1.Pod) {
	t.Helper()
	pod, err := client.CoreV1().Pods(newNamespace(t, client)).Create(t.Context(), newPod("web", nil), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := record.New(record.Config{ShutdownTimeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Shutdown)
	b.StartRecordingToSink(recordSinks[group](client))
	return b, pod
}

// TestRecord: what is recorded is on the server, counted and combined, whichever group it is written by. It is read by
// core/v1, as kubectl describe does.
func TestRecord(t *testing.T) {
	client := newClientset(t)
	for group := range recordSinks {
		t.Run(group, func(t *testing.T) {
			b, pod := recording(t, client, group)
			recorder := b.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "e2e", Host: "here"})
			for range 4 {
				recorder.Event(pod, "Warning", "BackOff", "it failed")
			}
			for i := range 12 {
				recorder.Eventf(pod, "Normal", "Pulled", "image %02d", i)
			}
			b.Shutdown()
			if s := b.Stats(); s.Written != 16 || s.Failed != 0 {
				t.Fatalf("got %+v", s)
			}
			list, err := client.CoreV1().Events(pod.Namespace).SearchWithContext(t.Context(), scheme.Scheme, pod)
			if err != nil {
				t.Fatal(err)
			}
			last := "image 11"
			if group == "events.k8s.io" {
				last = "image 09" // its text cannot be changed
			}
			want := []string{"4×BackOff: it failed by e2e", "3×Pulled: (combined from similar events): " + last + " by e2e"}
			for i := range 9 {
				want = append(want, fmt.Sprintf("1×Pulled: image %02d by e2e", i))
			}
			checkEvents(t, list, want)
		})
	}
}

func checkEvents(t *testing.T, list *corev1.EventList, want []string) {
	t.Helper()
	var got []string
	for _, e := range list.Items {
		count := e.Count
		if e.Series != nil {
			count = e.Series.Count
		}
		got = append(got, fmt.Sprintf("%d×%s: %s by %s", max(count, 1), e.Reason, e.Message, e.ReportingController))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestRecordWhatTheServerTakes: whatever a recorder makes, the real rules for events are kept.
func TestRecordWhatTheServerTakes(t *testing.T) {
	client := newClientset(t)
	long := strings.Repeat("ü", 2000)
	for group := range recordSinks {
		t.Run(group, func(t *testing.T) {
			b, pod := recording(t, client, group)
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
			for i, source := range []corev1.EventSource{
				{Component: "e2e"}, {}, {Component: "my controller, ü"}, {Component: long, Host: long}, {Component: "example.com/x", Host: "y"},
			} {
				recorder := b.NewRecorder(scheme.Scheme, source)
				recorder.Event(pod, "Normal", fmt.Sprint("Short", i), "")
				recorder.Event(pod, "Normal", "", "without a reason")
				recorder.Event(pod, "Normal", long, long)
				recorder.Event(node, "Warning", "NoNamespace", "in default")
				recorder.Event(&corev1.ObjectReference{Kind: "ClusterRole", Name: "system:node"}, "Warning", "OddName", "it has")
				record.NewEventRecorderAdapter(recorder).Eventf(pod, node, "Normal", "Scheduled", long, "with an action")
			}
			b.Shutdown()
			if s := b.Stats(); s.Written != 30 || s.Failed != 0 {
				t.Errorf("got %+v", s)
			}
		})
	}
}

// TestRecordUpdate: an event can be replaced by the sinks, too, though recorders do not.
func TestRecordUpdate(t *testing.T) {
	client := newClientset(t)
	for group, newSink := range recordSinks {
		t.Run(group, func(t *testing.T) {
			sink, namespace, now := newSink(client), newNamespace(t, client), metav1.Now()
			event, err := sink.Create(&corev1.Event{
				ObjectMeta:     metav1.ObjectMeta{Namespace: namespace, Name: "web.1"},
				InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: namespace, Name: "web"},
				Type:           "Normal", Reason: "Pulled", Message: "image", Count: 1, FirstTimestamp: now, LastTimestamp: now,
			})
			if err != nil {
				t.Fatal(err)
			}
			event.Count = 3
			if event, err = sink.Update(event); err != nil || event.Count != 3 {
				t.Errorf("updated to %+v, %v", event, err)
			}
		})
	}
}
