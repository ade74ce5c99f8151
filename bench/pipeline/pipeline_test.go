package pipeline

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/bench/internal/benchtest"
)

// Every workload runs here in a small size on each side.
func TestWorkloadsDoTheirWork(t *testing.T) {
	// Most of the time is that between a 410 and the next list.
	benchtest.Workloads(t, Workloads(), benchtest.Options{Parallel: true})
}

// The views must notice an informer that does not keep its word. Each test below breaks one promise.

func heard(number, index uint32) *thing {
	return &thing{ObjectMeta: &metav1.ObjectMeta{Namespace: "default", Name: "a"}, number: number, index: index}
}

func TestViewNotices(t *testing.T) {
	for name, tt := range map[string]struct {
		say  func(v *view)
		want string
	}{
		"a lost update":            {func(v *view) {}, "heard version 1 last, want version 3"},
		"a lost deletion":          {func(v *view) { v.OnUpdate(heard(1, 0), heard(3, 0)) }, "want the deletion in version 4"},
		"a second addition":        {func(v *view) { v.OnAdd(heard(3, 0), false) }, "was heard of before"},
		"a gap":                    {func(v *view) { v.OnUpdate(heard(2, 0), heard(3, 0)) }, "updated from version 2, but version 1"},
		"an older version":         {func(v *view) { v.OnUpdate(heard(2, 1), heard(1, 1)) }, "updated, but version 2 was the last"},
		"the same version":         {func(v *view) { v.OnUpdate(heard(2, 1), heard(2, 1)) }, "updated, but version 2 was the last"},
		"a second deletion":        {func(v *view) { v.OnDelete(heard(4, 1)); v.OnDelete(heard(4, 1)) }, "was not there"},
		"an update of what's gone": {func(v *view) { v.OnDelete(heard(4, 1)); v.OnUpdate(heard(4, 1), heard(5, 1)) }, "updated from version 4"},
		"a deletion of nothing":    {func(v *view) { v.OnDelete(nil) }, "a deletion of <nil>"},
	} {
		t.Run(name, func(t *testing.T) {
			v := newView([]final{3, 4 | goneBit})
			v.OnAdd(heard(1, 0), true)
			v.OnAdd(heard(2, 1), true)
			tt.say(v)
			wantError(t, v.check(), tt.want)
		})
	}
}

func TestViewIsDoneWhenItHasHeardTheLast(t *testing.T) {
	v := newView([]final{3, 4 | goneBit})
	v.OnAdd(heard(1, 0), true)
	v.OnAdd(heard(2, 1), true)
	v.OnUpdate(heard(1, 0), heard(3, 0))
	select {
	case <-v.done:
		t.Error("done before the deletion")
	default:
	}
	v.OnDelete(heard(4, 1))
	<-v.done
	if err := v.check(); err != nil {
		t.Error(err)
	}
}

func TestCheckStoreNotices(t *testing.T) {
	objects := newThings(10)
	for side := range peers {
		r, err := start(side, newSource(objects), true)
		if err != nil {
			t.Fatal(err)
		}
		want := finalAfter(objects, nil)
		if err := checkStore(r.store(), objects, want); err != nil {
			t.Error(err)
		}
		want[3]++
		wantError(t, checkStore(r.store(), objects, want), "object 3 is")
		want[3] |= goneBit
		wantError(t, checkStore(r.store(), objects, want), "object 3 is")
		wantError(t, checkStore(r.store(), objects[:3], want), "10 keys in the store, want 3")
		r.end()
	}
}

// Changes must be what the checks take them for.
func TestChanges(t *testing.T) {
	const updates, deletions = 1000, 30
	objects := newThings(50)
	c := newChanges(objects, updates, deletions)
	gone := map[uint32]int{}
	for i, e := range c.events {
		if want := len(objects) + i + 1; int(e.number) != want || e.version != strconv.Itoa(want) {
			t.Fatalf("event %d has version %s, want %d", i, e.version, want)
		}
		if _, ok := gone[e.index]; ok {
			t.Fatalf("event %d is about an object that is gone", i)
		}
		if e.gone {
			gone[e.index] = i
			if i < updates/2 {
				t.Errorf("a deletion is event %d, in the first half", i)
			}
		}
	}
	if len(c.events) != updates+deletions || len(gone) != deletions {
		t.Errorf("%d events, %d of them deletions", len(c.events), len(gone))
	}
	if got := finalAfter(objects, c.events); !slices.Equal(got, c.final) {
		t.Error("the last states are not those of the last events")
	}
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("got error %v, want one with %q", err, part)
	}
}
