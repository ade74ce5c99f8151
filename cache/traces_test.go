package cache

import (
	"runtime"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/internal/protoread"
)

// TestWhatDoesNotChangeIsKept has the spec of an object be the same in memory when only its labels change, unless each
// object is to be for itself.
func TestWhatDoesNotChangeIsKept(t *testing.T) {
	for name, test := range map[string]struct {
		options SharedIndexInformerOptions
		want    bool
	}{
		"live":           {SharedIndexInformerOptions{}, true},
		"fields dropped": {SharedIndexInformerOptions{Storage: Storage{Drop: []string{DropManagedFields}}}, true},
		"unshared":       {SharedIndexInformerOptions{Storage: Storage{Unshared: true}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			withStorage(t, test.options, nil, func(t *testing.T, c *storageCase) {
				before := c.get("default/web-1")
				if i, ok := c.SharedIndexInformer.(*informer); ok && i.codec.shares != nil {
					i.codec.shares.Forget() // or it would be found there as well
				}
				pod := c.onServer("web-1")
				pod.Labels["new"] = "label"
				_, err := c.server.Update(t.Context(), pod)
				mustNot(t, err)
				synctest.Wait()
				after := c.get("default/web-1")
				wantEqual(t, "labels", after.Labels, pod.Labels)
				wantEqual(t, "spec", after.Spec, before.Spec)
				if got := &before.Spec.Containers[0] == &after.Spec.Containers[0]; got != test.want {
					t.Errorf("the spec is the same: %v, want %v", got, test.want)
				}
			})
		})
	}
}

// TestTracesGoWithTheirObjects has the number of traces follow that of objects.
func TestTracesGoWithTheirObjects(t *testing.T) {
	plan, err := protoread.Compile(&corev1.Pod{})
	mustNot(t, err)
	shares, traces := plan.NewShares(true), newTraces()
	data, err := storagePod("web-1", "node-1").Marshal()
	mustNot(t, err)
	decode := func(n int) any {
		var trace protoread.Trace
		obj, err := plan.DecodeNext(data, shares, &trace)
		mustNot(t, err)
		traces.put(uint64(n), trace)
		return obj
	}
	var held []any
	const objects = 4 * fewTraces
	for n := range objects {
		held = append(held, decode(n))
	}
	if len(traces.m) != objects {
		t.Fatalf("%d traces of %d objects that are held", len(traces.m), objects)
	}
	for n := range objects {
		if trace := traces.get(uint64(n)); !trace.Alive() {
			t.Fatalf("object %d is held, and its trace says that it is not", n)
		}
	}
	runtime.KeepAlive(held)
	held = nil
	for range 3 {
		runtime.GC()
	}
	traces.sweep()
	if len(traces.m) > 1 || traces.most != fewTraces { // shares hold parts, and may hold the last object
		t.Errorf("%d traces, and room for %d, of nothing", len(traces.m), traces.most)
	}
	for n := range 100 * fewTraces {
		decode(n)
		if n%fewTraces == 0 {
			runtime.GC()
		}
	}
	if len(traces.m) > 4*fewTraces {
		t.Errorf("%d traces of objects that nobody holds", len(traces.m))
	}
}
