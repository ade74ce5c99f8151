package podcache

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/internal/benchtest"
	"vedette.dev/bench/pods"
	"vedette.dev/bench/pods/podserver"
	"vedette.dev/cache"
)

// TestMain lets the test binary be its own server.
func TestMain(m *testing.M) { benchtest.Main(m, podserver.Command, podserver.Serve) }

// Every kind of informer starts, follows changes, and has in the end what the server has.
func TestSides(t *testing.T) {
	stripped := cache.Storage{Drop: []string{cache.DropManagedFields}}
	for name, c := range map[string]Config{
		"client-go":              {Side: harness.ClientGo, Encoding: pods.Protobuf},
		"client-go JSON":         {Side: harness.ClientGo},
		"client-go unstructured": {Side: harness.ClientGo, Unstructured: true},
		"client-go stripped":     {Side: harness.ClientGo, Encoding: pods.Protobuf, Strip: true},
		"live":                   {Side: harness.Vedette, Encoding: pods.Protobuf},
		"live JSON":              {Side: harness.Vedette},
		"live unstructured":      {Side: harness.Vedette, Unstructured: true},
		"live stripped":          {Side: harness.Vedette, Encoding: pods.Protobuf, Storage: stripped},
		"packed":                 {Side: harness.Vedette, Encoding: pods.Protobuf, Storage: cache.Storage{Packed: true}},
		"packed keys":            {Side: harness.Vedette, Encoding: pods.Protobuf, Storage: cache.Storage{Packed: true}, Keys: true},
		"packed JSON":            {Side: harness.Vedette, Storage: cache.Storage{Packed: true}},
		"packed unstructured":    {Side: harness.Vedette, Unstructured: true, Storage: cache.Storage{Packed: true}, Keys: true},
		"projected":              {Side: harness.Vedette, Encoding: pods.Protobuf, Storage: cache.Storage{Packed: true, Keep: FiveFields}},
		"projected JSON":         {Side: harness.Vedette, Storage: cache.Storage{Packed: true, Keep: FiveFields}},
	} {
		t.Run(name, func(t *testing.T) {
			c.Pods = 150
			r, err := PrepareSynced(c)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := r.End(); err != nil {
					t.Error(err)
				}
			}()
			if err := r.Check(func(int) int { return 0 }); err != nil {
				t.Fatal(err)
			}
			const events = 400
			want := r.AfterUpdates(events)
			r.View.Expect(want)
			if _, err := r.Server.Tell(podserver.Order{Update: &podserver.Update{Events: events}}); err != nil {
				t.Fatal(err)
			}
			if err := r.View.Wait(); err != nil {
				t.Fatal(err)
			}
			if err := r.View.Check(want); err != nil {
				t.Error(err)
			}
			if err := r.Check(r.ChangesAfter(events)); err != nil {
				t.Error(err)
			}
			breaks(t, r, events)
			// Otherwise client-go is not as it is by default.
			if got, err := r.Server.Tell(podserver.Order{}); err != nil || got.Lists != 0 || got.Streams != 1 {
				t.Errorf("%d lists and %d streams, error %v, want one stream", got.Lists, got.Streams, err)
			}
		})
	}
}

// breaks is expectations that must not be met, for otherwise the checks would check nothing.
func breaks(t *testing.T, r *Running, events int) {
	t.Helper()
	right := r.ChangesAfter(events)
	for name, wrong := range map[string]func(i int) int{
		"one is gone":     func(i int) int { return map[bool]int{true: Gone, false: right(i)}[i == 7] },
		"one is old":      func(i int) int { return map[bool]int{true: 1, false: right(i)}[i == 0] },
		"all are as ever": func(int) int { return 0 },
	} {
		if err := r.Check(wrong); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestViewNotices(t *testing.T) {
	state := func(i int) *corev1.Pod { return pods.New(i) }
	want := Wanted{States: 2, Sum: Weight(0, 0) + Weight(1, 0)}
	for name, tt := range map[string]struct {
		say  func(v *View)
		want string
	}{
		"what it should": {func(v *View) { v.OnAdd(state(0), true); v.OnUpdate(nil, state(1)) }, ""},
		"one too few":    {func(v *View) { v.OnAdd(state(0), true) }, "1 states"},
		"one twice":      {func(v *View) { v.OnAdd(state(0), true); v.OnAdd(state(0), true) }, "add up to"},
		"one too many":   {func(v *View) { v.OnAdd(state(0), true); v.OnAdd(state(1), true); v.OnAdd(state(2), true) }, "3 states"},
		"a deletion":     {func(v *View) { v.OnAdd(state(0), true); v.OnAdd(state(1), true); v.OnDelete(state(1)) }, "1 deletions"},
		"a stranger":     {func(v *View) { v.OnAdd(state(0), true); v.OnAdd(state(1), true); v.OnAdd(7, true) }, "was given a int"},
	} {
		v := NewView()
		v.Expect(want)
		tt.say(v)
		err := v.Check(want)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, tt.want)
		}
	}
}

func TestUnknownSide(t *testing.T) {
	if _, err := Prepare(Config{Side: "nobody", Pods: 1}); err == nil {
		t.Error("no error for a side that does not exist")
	}
}
