package record

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAdapterTellsTheActionAndWhatIsRelated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{}
		_, recorder := started(t, Config{}, sink)
		related := &corev1.ObjectReference{Kind: "Node", Name: "n"}
		adapter := NewEventRecorderAdapter(recorder).WithLogger(logr.Discard()).(*EventRecorderAdapter)
		adapter.AnnotatedEventf(podNamed("a"), related, map[string]string{"k": "v"}, "Normal", "Scheduled", "Binding", "to %s", "n")
		related.Name = "changed"
		synctest.Wait()
		e := sink.only(t)
		if e.Action != "Binding" || e.Related == nil || e.Related.Name != "n" || e.Message != "to n" || e.Annotations["k"] != "v" {
			t.Errorf("got %+v", e)
		}
		// A related object of an unknown kind does not take the event with it.
		adapter.Eventf(podNamed("b"), &metav1.PartialObjectMetadata{}, "Normal", "Other", "Binding", "to %s", "n")
		synctest.Wait()
		if got := sink.stored(); len(got) != 2 {
			t.Errorf("got %v", got)
		}
	})
}

func TestAdapterOfAnotherRecorder(t *testing.T) {
	fake := NewFakeRecorder(1)
	NewEventRecorderAdapter(fake).WithLogger(logr.Discard()).Eventf(podNamed("a"), nil, "Normal", "Scheduled", "Binding", "to %s", "n")
	if got := <-fake.Events; got != "Normal Scheduled to n" {
		t.Errorf("got %q", got)
	}
}

func TestFakeRecorder(t *testing.T) {
	fake := NewFakeRecorder(10)
	pod := podNamed("a")
	pod.TypeMeta = metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}
	fake.Event(pod, "Normal", "100%d", "50% done")
	fake.WithLogger(logr.Discard()).Eventf(pod, "Normal", "Reason", "%d", 7)
	fake.IncludeObject = true
	fake.AnnotatedEventf(pod, map[string]string{"k": "v"}, "Warning", "Reason", "m")
	fake.Event(nil, "Normal", "Reason", "m")
	for _, want := range []string{
		"Normal 100%d 50% done",
		"Normal Reason 7",
		"Warning Reason m involvedObject{kind=Pod,apiVersion=v1} map[k:v]",
		"Normal Reason m involvedObject{}",
	} {
		if got := <-fake.Events; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	(&FakeRecorder{}).Event(pod, "Normal", "Reason", "is forgotten")
}

func TestConfigIsChecked(t *testing.T) {
	for want, config := range map[string]Config{
		"Config.Queue is -1":                           {Queue: -1},
		"Config.Tries is -1":                           {Tries: -1},
		"Config.RetryDelay is -1":                      {RetryDelay: -1},
		"Config.WriteTimeout is -1":                    {WriteTimeout: -1},
		"Config.ShutdownTimeout is -1":                 {ShutdownTimeout: -1},
		"CorrelatorOptions.LRUCacheSize is -1":         {Correlator: CorrelatorOptions{LRUCacheSize: -1}},
		"CorrelatorOptions.BurstSize is -1":            {Correlator: CorrelatorOptions{BurstSize: -1}},
		"CorrelatorOptions.QPS is -1":                  {Correlator: CorrelatorOptions{QPS: -1}},
		"CorrelatorOptions.MaxEvents is -1":            {Correlator: CorrelatorOptions{MaxEvents: -1}},
		"CorrelatorOptions.MaxIntervalInSeconds is -1": {Correlator: CorrelatorOptions{MaxIntervalInSeconds: -1}},
	} {
		if _, err := New(config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestMisusePanicsWithASentence(t *testing.T) {
	b := NewBroadcaster()
	defer b.Shutdown()
	for want, call := range map[string]func(){
		"StartEventWatcher: function is nil": func() { b.StartEventWatcher(nil) },
		"sink is nil":                        func() { b.StartRecordingToSink(nil) },
		"StartLogging: function is nil":      func() { b.StartLogging(nil) },
		"BurstSize is -1":                    func() { NewBroadcasterWithCorrelatorOptions(CorrelatorOptions{BurstSize: -1}) },
		"MaxEvents is -1":                    func() { NewEventCorrelatorWithOptions(CorrelatorOptions{MaxEvents: -1}) },
	} {
		func() {
			defer func() {
				cause := recover()
				text, _ := cause.(string)
				if err, ok := cause.(error); ok {
					text = err.Error()
				}
				if !strings.Contains(text, want) {
					t.Errorf("got %q, want %q", text, want)
				}
			}()
			call()
		}()
	}
}

func TestForTestsThereIsNoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{fail: down}
		b := NewBroadcasterForTests(0)
		b.StartRecordingToSink(sink)
		start := time.Now()
		b.NewRecorder(coreScheme(), testSource).Event(podNamed("a"), "Normal", "Pulled", "image")
		time.Sleep(time.Microsecond)
		synctest.Wait()
		if s := StatsOf(b); s.Failed != 1 || s.Retried != 11 {
			t.Errorf("after %v: %+v", time.Since(start), s)
		}
		b.Shutdown()
	})
}
