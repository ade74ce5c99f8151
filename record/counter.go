package record

import (
	"encoding/json"
	"math"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/lru"
)

// counter counts repetitions of events.
type counter struct {
	mu   sync.Mutex
	seen *lru.Cache // of tally, by the digest of a key
}

// tally is the state of an event that was written, or should have been.
type tally struct {
	count           int32
	first           metav1.Time
	name            string
	resourceVersion string
}

func newCounter(size int) *counter { return &counter{seen: newCache(size)} }

// observe counts one repetition. If it is not the first, the returned event has the name of the first, and there is a
// patch for it.
func (c *counter) observe(newEvent *corev1.Event, key string) (*corev1.Event, []byte, error) {
	event := *newEvent
	id := digestOf(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	found, again := c.seen.Get(id)
	if again {
		t := found.(tally)
		event.Name, event.ResourceVersion, event.FirstTimestamp = t.name, t.resourceVersion, t.first
		event.Count = t.count
		if event.Count < math.MaxInt32 {
			event.Count++
		}
	}
	c.seen.Add(id, tallyOf(&event))
	if !again {
		return &event, nil, nil
	}
	patch, err := patchFor(&event)
	return &event, patch, err
}

// update takes over the server's answer. A count that went down, as with a server that does not keep counts, is
// ignored.
func (c *counter) update(event *corev1.Event, key string) {
	id := digestOf(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	t := tallyOf(event)
	if found, ok := c.seen.Get(id); ok {
		t.count = max(t.count, found.(tally).count)
	}
	c.seen.Add(id, t)
}

func tallyOf(event *corev1.Event) tally {
	return tally{max(event.Count, 1), event.FirstTimestamp, event.Name, event.ResourceVersion}
}

// patchFor returns the strategic merge patch that updates the event on the server. It contains the message because an
// aggregate event has the message of the newest event.
func patchFor(event *corev1.Event) ([]byte, error) {
	return json.Marshal(struct {
		Count         int32       `json:"count"`
		LastTimestamp metav1.Time `json:"lastTimestamp"`
		Message       string      `json:"message,omitempty"`
	}{event.Count, event.LastTimestamp, event.Message})
}
