package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/kubernetes"
	"vedette.dev/kubernetes/scheme"
	typedcorev1 "vedette.dev/kubernetes/typed/core/v1"
	typedeventsv1 "vedette.dev/kubernetes/typed/events/v1"
	"vedette.dev/reference"
)

// The tests of this file go all the way: a recorder, a sink, a client and an API server. Both sinks take each of them.

var (
	_ ContextEventSink = (*typedcorev1.EventSinkImpl)(nil)
	_ ContextEventSink = (*typedeventsv1.EventSinkImpl)(nil)
)

// sinks are by the group that they write to.
var sinks = map[string]func(kubernetes.Interface) EventSink{
	"core/v1": func(c kubernetes.Interface) EventSink {
		return &typedcorev1.EventSinkImpl{Interface: c.CoreV1().Events("")}
	},
	"events.k8s.io/v1": func(c kubernetes.Interface) EventSink {
		return &typedeventsv1.EventSinkImpl{Interface: c.EventsV1()}
	},
}

// onServer runs a test in a bubble, for each sink, on a server with a namespace and a pod.
func onServer(t *testing.T, run func(t *testing.T, s *setting)) {
	for group, sink := range sinks {
		t.Run(group, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := apitest.New(t, apitest.Config{InMemory: true, CreateNamespaces: true})
				config := server.RESTConfig()
				config.QPS = -1
				client := kubernetes.NewForConfigOrDie(config)
				pod := podNamed("web")
				pod.ResourceVersion, pod.Spec.Containers = "", []corev1.Container{{Name: "main", Image: "app:1"}}
				pod, err := client.CoreV1().Pods("ns").Create(t.Context(), pod, metav1.CreateOptions{})
				if err != nil {
					t.Fatal(err)
				}
				b := mustNew(t, Config{})
				b.StartRecordingToSink(sink(client))
				t.Cleanup(b.Shutdown)
				run(t, &setting{group, server, client, pod, b, b.NewRecorder(scheme.Scheme, testSource)})
			})
		})
	}
}

type setting struct {
	group    string
	server   *apitest.Server
	client   *kubernetes.Clientset
	pod      *corev1.Pod
	b        *Broadcaster
	recorder EventRecorderLogger
}

// events are those about the pod, as the other group tells them: "count×reason: message".
func (s *setting) events(t *testing.T) (texts []string) {
	t.Helper()
	if s.group == "core/v1" {
		list, err := s.client.EventsV1().Events("ns").List(t.Context(), metav1.ListOptions{FieldSelector: "regarding.name=web"})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list.Items {
			texts = append(texts, fmt.Sprintf("%d×%s: %s", e.DeprecatedCount, e.Reason, e.Note))
		}
	} else {
		list, err := s.client.CoreV1().Events("ns").SearchWithContext(t.Context(), scheme.Scheme, s.pod)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list.Items {
			count := int32(1)
			if e.Series != nil {
				count = e.Series.Count
			}
			texts = append(texts, fmt.Sprintf("%d×%s: %s", count, e.Reason, e.Message))
		}
	}
	slices.Sort(texts)
	return texts
}

func TestEventsReachTheServer(t *testing.T) {
	onServer(t, func(t *testing.T, s *setting) {
		for range 5 {
			s.recorder.Event(s.pod, "Warning", "BackOff", "it failed")
			time.Sleep(time.Second)
		}
		for i := range 12 {
			s.recorder.Eventf(s.pod, "Normal", "Pulled", "image %02d", i)
			time.Sleep(time.Second)
		}
		synctest.Wait()
		last := "image 11"
		if s.group == "events.k8s.io/v1" {
			last = "image 09" // its text cannot be changed
		}
		want := []string{"3×Pulled: (combined from similar events): " + last, "5×BackOff: it failed"}
		for i := range 9 {
			want = append(want, fmt.Sprintf("1×Pulled: image %02d", i))
		}
		slices.Sort(want)
		if got := s.events(t); !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if stats := s.b.Stats(); stats.Written != 17 || stats.Failed != 0 {
			t.Errorf("got %+v", stats)
		}
	})
}

// Whatever a recorder makes, the server takes.
func TestTheServerTakesWhatARecorderMakes(t *testing.T) {
	onServer(t, func(t *testing.T, s *setting) {
		long := strings.Repeat("ü", 2000)
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
		part, err := reference.GetPartialReference(scheme.Scheme, s.pod, "spec.containers{main}")
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range []corev1.EventSource{
			testSource, {}, {Component: "my controller, version ü"}, {Component: long, Host: long}, {Host: "host"}, {Component: "example.com/x"},
		} {
			recorder := s.b.NewRecorder(scheme.Scheme, source)
			adapter := NewEventRecorderAdapter(recorder)
			recorder.Event(s.pod, "Normal", "Short", "")
			recorder.Event(s.pod, "Normal", "", "without a reason")
			recorder.Event(s.pod, "Normal", long, long)
			recorder.Event(node, "Warning", "NoNamespace", "in default")
			recorder.Event(&corev1.ObjectReference{}, "Warning", "AboutNothing", "at all")
			recorder.Event(part, "Warning", "Part", "of it")
			adapter.Eventf(s.pod, node, "Normal", "Scheduled", long, "with an action")
		}
		synctest.Wait()
		if stats := s.b.Stats(); stats.Written != 42 || stats.Failed != 0 {
			t.Errorf("got %+v", stats)
		}
	})
}

func TestAServerThatForbidsEvents(t *testing.T) {
	onServer(t, func(t *testing.T, s *setting) {
		fault, err := s.server.Inject(apitest.Fault{Match: apitest.Match{Verbs: []string{"create", "patch"}}, Effect: apitest.AnswerForbidden})
		if err != nil {
			t.Fatal(err)
		}
		s.recorder.Event(s.pod, "Normal", "Pulled", "image")
		synctest.Wait()
		if stats := s.b.Stats(); stats.Failed != 1 || stats.Retried != 0 || !apierrors.IsForbidden(stats.LastError) || fault.Hits() != 1 {
			t.Errorf("got %+v after %d requests", stats, fault.Hits())
		}
		fault.Remove()
		s.recorder.Event(s.pod, "Normal", "Pulled", "image")
		synctest.Wait()
		if got := s.events(t); !slices.Equal(got, []string{"2×Pulled: image"}) {
			t.Errorf("got %v", got)
		}
	})
}

func TestAServerThatIsDownForAMinute(t *testing.T) {
	onServer(t, func(t *testing.T, s *setting) {
		s.server.RefuseConnections()
		s.server.CutConnections()
		for range 3 {
			s.recorder.Event(s.pod, "Normal", "Pulled", "image")
		}
		s.recorder.Event(s.pod, "Normal", "Started", "container")
		time.Sleep(time.Minute)
		if stats := s.b.Stats(); stats.Written != 0 || stats.Retried == 0 || stats.Waiting != 3 {
			t.Errorf("while it is down: %+v", stats)
		}
		if err := s.server.AcceptConnections(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got := s.events(t); !slices.Equal(got, []string{"1×Started: container", "3×Pulled: image"}) {
			t.Errorf("got %v", got)
		}
		if stats := s.b.Stats(); stats.Written != 4 || stats.Failed != 0 {
			t.Errorf("got %+v", stats)
		}
	})
}

// The connection breaks when the server has the event, but before its answer is out.
func TestAnAnswerThatIsCut(t *testing.T) {
	onServer(t, func(t *testing.T, s *setting) {
		if _, err := s.server.Inject(apitest.Fault{
			Match: apitest.Match{Verbs: []string{"create"}}, Effect: apitest.Cut, Times: 1,
		}); err != nil {
			t.Fatal(err)
		}
		s.recorder.Event(s.pod, "Normal", "Pulled", "image")
		time.Sleep(time.Minute)
		s.recorder.Event(s.pod, "Normal", "Pulled", "image")
		synctest.Wait()
		if stats := s.b.Stats(); stats.Written != 2 || stats.Retried != 1 {
			t.Errorf("got %+v", stats)
		}
		if got := s.events(t); !slices.Equal(got, []string{"2×Pulled: image"}) {
			t.Errorf("got %v", got)
		}
	})
}

func TestAServerThatDoesNotAnswer(t *testing.T) {
	onServer(t, func(t *testing.T, s *setting) {
		silence, err := s.server.Inject(apitest.Fault{Match: apitest.Match{Verbs: []string{"create"}}, Effect: apitest.Silence})
		if err != nil {
			t.Fatal(err)
		}
		s.recorder.Event(s.pod, "Normal", "Pulled", "image")
		time.Sleep(time.Minute)
		start := time.Now()
		s.b.Shutdown()
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("Shutdown took %v", took)
		}
		stats := s.b.Stats()
		if stats.Failed != 1 || stats.Retried == 0 || stats.Listeners != 0 {
			t.Errorf("got %+v", stats)
		}
		if err := stats.LastError; !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			t.Errorf("the last error is %v", err)
		}
		silence.Remove()
		s.server.CutConnections()
	})
}

func TestANamespaceThatIsTerminating(t *testing.T) {
	onServer(t, func(t *testing.T, s *setting) {
		gone := podNamed("web")
		gone.Namespace = "gone"
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "gone", Finalizers: []string{"example.com/hold"}}}
		if _, err := s.client.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := s.client.CoreV1().Namespaces().Delete(t.Context(), "gone", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		s.recorder.Event(gone, "Normal", "Pulled", "image")
		synctest.Wait()
		stats := s.b.Stats()
		if stats.Failed != 1 || !apierrors.HasStatusCause(stats.LastError, corev1.NamespaceTerminatingCause) {
			t.Errorf("got %+v", stats)
		}
	})
}

// An event of another namespace than the client's cannot be sent, and is not tried again.
func TestASinkForOneNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InProcess: true})
		client := kubernetes.NewForConfigOrDie(server.RESTConfig())
		b, recorder := started(t, Config{}, &typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("other")})
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		synctest.Wait()
		if s := b.Stats(); s.Failed != 1 || s.Retried != 0 {
			t.Errorf("got %+v", s)
		}
		wantText(t, fmt.Sprint(b.Stats().LastError), `namespace "ns"`, `client of namespace "other"`)
	})
}
