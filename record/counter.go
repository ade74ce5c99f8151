package record

import (
	"encoding/json"
	"math"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/lru"
)

// counter counts events that are the same.
type counter struct {
	mu   sync.Mutex
	seen *lru.Cache // of tally, by the digest of a key
}

// tally is what is known of an event that was written, or should have been.
type tally struct {
	count           int32
	first           metav1.Time
	name            string
	resourceVersion string
}

func newCounter(size int) *counter { return &counter{seen: newCache(size)} }

// observe counts one more. If it is not the first, the event that is returned has the name of the first, and there is a
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

// update takes over what the server says. A count that went down, as that of a server that does not keep counts, is not
// believed.
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

// patchFor makes the strategic merge patch that brings the event on the server up to date. The message is in it because an
// event that stands for similar ones tells the newest.
func patchFor(event *corev1.Event) ([]byte, error) {
	return json.Marshal(struct {
		Count         int32       `json:"count"`
		LastTimestamp metav1.Time `json:"lastTimestamp"`
		Message       string      `json:"message,omitempty"`
	}{event.Count, event.LastTimestamp, event.Message})
}
