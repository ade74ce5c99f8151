package reconcile

import (
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/bench/internal/benchtest"
)

var listOptions metav1.ListOptions

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every workload runs here in a small size on each of its sides, so that the race detector sees the drivers too.
func TestWorkloadsDoTheirWork(t *testing.T) {
	benchtest.Workloads(t, Workloads(), benchtest.Options{Parallel: true}) // controller-runtime waits 100 ms for its source
}

// Rounds must be what the phases take them for.
func TestRounds(t *testing.T) {
	objects := newObjects(50)
	last := uint32(len(objects))
	for number := 1; number <= 3; number++ {
		changed := map[uint32]bool{}
		for _, o := range newRound(objects, number, len(objects)) {
			if last++; o.number != last || o.version != strconv.Itoa(int(last)) {
				t.Fatalf("round %d has version %s (%d), want %d", number, o.version, o.number, last)
			}
			if o.Name != objects[o.index].Name {
				t.Errorf("round %d: object %d is %s", number, o.index, o.Name)
			}
			changed[o.index] = true
		}
		if len(changed) != len(objects) {
			t.Errorf("round %d changes %d of %d objects", number, len(changed), len(objects))
		}
	}
	if part := newRound(objects, 4, 10); len(part) != 10 {
		t.Errorf("%d changes, want 10", len(part))
	}
}

func TestIndexOf(t *testing.T) {
	for key, want := range map[string]int{"object-0": 0, "object-12345": 12345, "namespace-3/object-70": 70, "object": -1, "": -1} {
		if got := indexOf(key); got != want {
			t.Errorf("indexOf(%q) = %d, want %d", key, got, want)
		}
	}
	for i, o := range newObjects(3000) {
		if indexOf(o.Name) != i || indexOf(o.Namespace+"/"+o.Name) != i {
			t.Fatalf("%s is not object %d", o.Name, i)
		}
	}
}

func TestPercentile(t *testing.T) {
	values := []time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for share, want := range map[float64]float64{0: 1, 0.5: 5, 0.99: 10, 1: 10} {
		if got := percentile(values, share); got != want {
			t.Errorf("percentile(%v) = %v, want %v", share, got, want)
		}
	}
}
