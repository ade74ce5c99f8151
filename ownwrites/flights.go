package ownwrites

import (
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// flights are the writes in flight: sent and not answered yet.
type flights struct {
	mu sync.Mutex
	m  map[target][]*flight
}

// target is the object of a write: a name, or the prefix of a name that the server generates.
type target struct {
	namespace, name, generated string
}

type flight struct {
	at     target
	landed chan struct{} // closed when the answer was recorded, or if there is none
	// observed is a version of each object of this name in events since then, by UID. It is guarded by the lock of flights.
	observed map[types.UID]string
}

// begin registers a write that is about to be sent.
func (f *flights) begin(at target) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.m == nil {
		f.m = map[target][]*flight{}
	}
	flying := &flight{at: at, landed: make(chan struct{})}
	f.m[at] = append(f.m[at], flying)
	return flying
}

func (f *flights) end(flying *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(flying.landed)
	rest := slices.DeleteFunc(f.m[flying.at], func(other *flight) bool { return other == flying })
	if len(rest) == 0 {
		delete(f.m, flying.at)
		return
	}
	f.m[flying.at] = rest
}

// note records the version in an event. The answer to a deletion may arrive later, and contains no version.
func (f *flights) note(m metav1.Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, flying := range f.m[target{namespace: m.GetNamespace(), name: m.GetName()}] {
		if flying.observed == nil {
			flying.observed = map[types.UID]string{}
		}
		flying.observed[m.GetUID()] = m.GetResourceVersion()
	}
}

// observed returns a version of an object from an event since a write began, empty if there was none.
func (f *flights) observed(flying *flight, uid types.UID) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return flying.observed[uid]
}

// of returns the writes in flight that may concern an object.
func (f *flights) of(m metav1.Object) []*flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.m) == 0 {
		return nil
	}
	out := slices.Clone(f.m[target{namespace: m.GetNamespace(), name: m.GetName()}])
	if prefix := m.GetGenerateName(); prefix != "" {
		out = append(out, f.m[target{namespace: m.GetNamespace(), generated: prefix}]...)
	}
	return out
}
