package ownwrites

import (
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// flights are the writes that were sent and not answered yet.
type flights struct {
	mu sync.Mutex
	m  map[target][]*flight
}

// target is what a write is about: a name, or the beginning of one that the server will make up.
type target struct {
	namespace, name, generated string
}

type flight struct {
	at     target
	landed chan struct{} // closed when the answer was recorded, or there is none
}

// begin notes that a write is about to be sent.
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

// of returns the writes under way that may be about an object.
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
