package ownwrites

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/cache"
)

func TestBadConfig(t *testing.T) {
	for field, config := range map[string]Config{
		"Config.Object": {Object: (*corev1.Pod)(nil)}, "Config.Remember": {Remember: -1}, "Config.Sweep": {Sweep: -1},
	} {
		if _, err := New(newStub(), config); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := New(nil, Config{}); err == nil {
		t.Error("nil")
	}
	stopped := newStub()
	stopped.stopped = true
	if _, err := New(stopped, Config{}); err == nil {
		t.Error("an informer that has stopped")
	}
}

func TestWritesThatCannotBeRecorded(t *testing.T) {
	var log bytes.Buffer
	tracker := newTracker(t, newStub(), Config{Object: &corev1.ConfigMap{}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	service := toMap(configMap("a", "1", 1, ""))
	service.SetKind("Service")
	bad := map[string]runtime.Object{
		"nil":                nil,
		"a nil pointer":      (*corev1.ConfigMap)(nil),
		"no metadata":        &metav1.Status{},
		"no name":            configMap("", "1", 1, "red"),
		"no version":         &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}},
		"another type":       &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: "1"}},
		"another kind":       service,
		"not of that struct": &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "a", "resourceVersion": "1"}, "data": 7}},
	}
	for what, obj := range bad {
		if err := tracker.Wrote(obj); err == nil {
			t.Error(what)
		}
	}
	for _, d := range []Deletion{{}, {Name: "a"}, {UID: "1"}} {
		if err := tracker.Deleted(d); err == nil {
			t.Error(d)
		}
	}
	want(t, "refused", tracker.Stats().Refused, uint64(len(bad)+3))
	opaque := configMap("a", "1", 1, "red")
	for _, version := range []string{"abc", "-1", "0x1", "1.5", "99999999999999999999999", "0"} {
		opaque.ResourceVersion = version
		if err := tracker.Wrote(opaque); !errors.Is(err, ErrIncomparable) {
			t.Errorf("%q: %v", version, err)
		}
	}
	want(t, "incomparable", tracker.Stats().Incomparable, uint64(6))
	want(t, "waiting", tracker.Stats().Waiting, 0)
	want(t, "lines in the log", strings.Count(log.String(), "\n"), 2)
}

func TestOlderWritesAndOtherObjects(t *testing.T) {
	s := newStub()
	tracker := newTracker(t, s, Config{})
	s.put(configMap("a", "1", 5, "red"))
	mustNot(t, tracker.Wrote(configMap("a", "1", 4, "red")))
	mustNot(t, tracker.Wrote(configMap("a", "1", 5, "red")))
	want(t, "older than the store", tracker.Stats().Waiting, 0)
	mustNot(t, tracker.Wrote(configMap("a", "1", 9, "red")))
	mustNot(t, tracker.Wrote(configMap("a", "1", 8, "red")))
	want(t, "Get", show(t, tracker.Indexer(), "ns/a"), "a@9")
	mustNot(t, tracker.Wrote(configMap("a", "2", 12, "red"))) // another one has the name now
	want(t, "Get", show(t, tracker.Indexer(), "ns/a"), "a@12")
	mustNot(t, tracker.Deleted(Deletion{Namespace: "ns", Name: "a", UID: "1"})) // and that one is not meant
	want(t, "Get", show(t, tracker.Indexer(), "ns/a"), "a@12")
	s.put(configMap("a", "2", 12, "red"))
	want(t, "waiting", tracker.Stats().Waiting, 0)
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStub()
		tracker, err := New(s, Config{})
		mustNot(t, err)
		mustNot(t, tracker.Created(configMap("a", "1", 5, "red")))
		mustNot(t, tracker.Close())
		mustNot(t, tracker.Close())
		want(t, "Get", show(t, tracker.Indexer(), "ns/a"), "none")
		want(t, "own", tracker.OwnAdd(configMap("a", "1", 5, "red")), false)
		for _, err := range []error{tracker.Wrote(configMap("a", "1", 6, "red")), tracker.Deleted(Deletion{Name: "a", UID: "1", Version: "3"})} {
			if !errors.Is(err, ErrClosed) {
				t.Error(err)
			}
		}
		time.Sleep(time.Minute)
		want(t, "stats", tracker.Stats().Waiting, 0)
	})
}

// A watch that is stuck for long: one entry a key, and reads by name do not become slower.
func TestAHugeNumberOfEntries(t *testing.T) {
	s := newStub()
	tracker := newTracker(t, s, Config{Remember: 100})
	const n = 20_000 / slower
	for i := range n {
		mustNot(t, tracker.Created(configMap(fmt.Sprint(i), fmt.Sprint(i), i+1, "red")))
		mustNot(t, tracker.Updated(configMap(fmt.Sprint(i), fmt.Sprint(i), n+i+1, "red"), fmt.Sprint(i+1)))
	}
	stats := tracker.Stats()
	want(t, "waiting", stats.Waiting, n)
	want(t, "remembered", stats.Remembered, 100)
	want(t, "Get", show(t, tracker.Indexer(), "ns/77"), fmt.Sprintf("77@%d", n+78))
	want(t, "List", len(tracker.Indexer().List()), n)
	s.bookmark(2*n - 1)
	tracker.settleAll()
	want(t, "waiting", tracker.Stats().Waiting, 1)
	mustNot(t, tracker.check())
}

// Nothing that a user's function does holds up reads of other names, or of the same.
func TestReadsDoNotWait(t *testing.T) {
	s := newStub()
	s.put(configMap("other", "0", 1, "red"))
	entered, leave := make(chan struct{}), make(chan struct{})
	block := func() {
		close(entered)
		<-leave
	}
	transform := func(obj any) (any, error) {
		if obj.(*corev1.ConfigMap).Name == "slow" {
			block()
		}
		return obj, nil
	}
	tracker := newTracker(t, s, Config{Transform: transform})
	mustNot(t, tracker.Created(configMap("a", "1", 5, "red")))
	reads := func() {
		want(t, "Get", show(t, tracker.Indexer(), "ns/a"), "a@5")
		want(t, "Get", show(t, tracker.Indexer(), "ns/other"), "other@1")
		want(t, "List", len(tracker.Indexer().List()), 2)
		mustNot(t, tracker.Wrote(configMap("a", "1", 5, "red")))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = tracker.Created(configMap("slow", "2", 6, "red"))
	}()
	<-entered
	reads()
	close(leave)
	<-done

	entered, leave, done = make(chan struct{}), make(chan struct{}), make(chan struct{})
	slow := false
	mustNot(t, tracker.Indexer().AddIndexers(cache.Indexers{"slow": func(obj any) ([]string, error) {
		if obj.(*corev1.ConfigMap).Name == "slow" && slow {
			block()
		}
		return nil, nil
	}}))
	slow = true
	go func() {
		defer close(done)
		_, _ = tracker.Indexer().ByIndex("slow", "x")
	}()
	<-entered
	want(t, "Get", show(t, tracker.Indexer(), "ns/slow"), "slow@6")
	want(t, "Get", show(t, tracker.Indexer(), "ns/other"), "other@1")
	mustNot(t, tracker.Created(configMap("b", "3", 7, "red")))
	s.put(configMap("a", "1", 8, "red"))
	want(t, "waiting", tracker.Stats().Waiting, 2)
	close(leave)
	<-done
}
