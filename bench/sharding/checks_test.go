package sharding

import (
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/shard"
)

// The checks must notice an informer that does not keep its word. Each test below breaks one promise.

func heard(i, version int) *corev1.Pod {
	pod := newPod(i, "tenant-0", false)
	pod.ResourceVersion = strconv.Itoa(version)
	return pod
}

func TestViewNotices(t *testing.T) {
	for name, tt := range map[string]struct {
		say  func(v *view)
		want string
	}{
		"an old version": {func(v *view) { v.OnAdd(heard(0, 2), true); v.OnUpdate(nil, heard(0, 1)) }, "version 1 after version 2"},
		"one twice":      {func(v *view) { v.OnAdd(heard(0, 2), true); v.OnUpdate(nil, heard(0, 2)) }, "version 2 after version 2"},
		"a second add":   {func(v *view) { v.OnAdd(heard(0, 1), true); v.OnAdd(heard(0, 2), true) }, "added is true"},
		"no add":         {func(v *view) { v.OnUpdate(nil, heard(0, 1)) }, "added is false"},
		"a stranger":     {func(v *view) { v.OnAdd(heard(7, 1), true) }, "none of ours"},
		"a deletion":     {func(v *view) { v.OnDelete(heard(0, 1)) }, "heard of a deletion"},
	} {
		v := newView(2)
		tt.say(v)
		if err := v.err(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, tt.want)
		}
	}
	v := newView(2)
	v.OnAdd(heard(0, 1), true)
	v.OnUpdate(nil, heard(0, 3))
	v.OnAdd(heard(1, 2), true)
	if err := v.err(); err != nil {
		t.Error(err)
	}
}

// stored is a side that has just these objects.
type stored struct {
	side
	pods []*corev1.Pod
}

func (s stored) list() []*corev1.Pod { return s.pods }

func TestStoreIsCompared(t *testing.T) {
	for name, tt := range map[string]struct {
		pods []*corev1.Pod
		want string
	}{
		"all are there":  {[]*corev1.Pod{heard(1, 6), heard(0, 5)}, ""},
		"one is missing": {[]*corev1.Pod{heard(0, 5)}, "has 1 objects, want 2"},
		"one is old":     {[]*corev1.Pod{heard(0, 5), heard(1, 4)}, "pod 1 in version 4, want 6"},
		"one is twice":   {[]*corev1.Pod{heard(0, 5), heard(0, 5)}, "or twice"},
	} {
		r := &running{side: stored{pods: tt.pods}, view: newView(2)}
		err := r.compare([]int64{5, 6})
		if got := err == nil; got != (tt.want == "") || !got && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, tt.want)
		}
	}
	r := &running{side: stored{pods: []*corev1.Pod{heard(0, 5)}}, view: newView(1)}
	if err := r.heardAll(1); err == nil || !strings.Contains(err.Error(), "called 0 times, want 1") {
		t.Errorf("error %v of a handler that was not called", err)
	}
	r.view.OnAdd(heard(0, 4), true)
	if err := r.heardAll(1); err == nil || !strings.Contains(err.Error(), "version 4 of pod 0 last, want 5") {
		t.Errorf("error %v of a handler that has not heard of the last state", err)
	}
}

func TestLateness(t *testing.T) {
	n := &noisy{ended: 1000, report: report{Quiet: []change{{1, 100}, {1, 200}, {2, 300}, {3, 400}}}, heard: map[int][]arrival{
		1: {{200, 250}},              // the second took the place of the first
		2: {{299, 310}, {300, 1001}}, // too late
	}}
	late, missing := n.lateness()
	want := []time.Duration{50, 150, 600, 700}
	for i := range want {
		if len(late) != len(want) || late[i] != want[i] {
			t.Fatalf("late by %d, want %d", late, want)
		}
	}
	if missing != 2 {
		t.Errorf("%d were not heard of, want 2", missing)
	}
	if p := percentile(late, 0.5); p != 150 {
		t.Errorf("the median is %v, want 150", p)
	}
}

func TestWhatCannotBe(t *testing.T) {
	if _, err := prepare("nobody", spec{Objects: 1, Namespaces: 1}, nil); err == nil {
		t.Error("no error for a side that does not exist")
	}
	if _, err := newSharded("http://127.0.0.1:1", shard.Hash(shard.ByUID(), 0), newView(1)); err == nil {
		t.Error("no error for no shards")
	}
	for _, args := range [][]string{nil, {"many"}, {"{}", "{}"}} {
		if err := Serve(args, strings.NewReader(""), io.Discard); err == nil {
			t.Errorf("no error with the arguments %q", args)
		}
	}
}

func TestSmallPodsAreSmall(t *testing.T) {
	if size := newPod(12345, "tenant-3", false).Size(); size < 800 || size > 1200 {
		t.Errorf("a small pod has %d bytes, want about 1,000", size)
	}
}
