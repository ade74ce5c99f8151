package record

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
)

// recent is a cache as one would explain it: the newest first, and no more than size of them.
type recent[V any] struct {
	size int
	list []recentEntry[V]
}

type recentEntry[V any] struct {
	key   string
	value V
}

// use moves a key to the front, if it is there.
func (r *recent[V]) use(key string) (V, bool) {
	i := slices.IndexFunc(r.list, func(e recentEntry[V]) bool { return e.key == key })
	if i < 0 {
		var none V
		return none, false
	}
	e := r.list[i]
	r.list = slices.Insert(slices.Delete(r.list, i, i+1), 0, e)
	return e.value, true
}

func (r *recent[V]) put(key string, value V) {
	if _, ok := r.use(key); ok {
		r.list[0].value = value
		return
	}
	r.list = slices.Insert(r.list, 0, recentEntry[V]{key, value})
	r.list = r.list[:min(len(r.list), r.size)]
}

type modelGroup struct {
	messages []string
	last     time.Time
}

type modelBucket struct {
	tokens float64
	last   time.Time
}

type modelCount struct {
	count int32
	name  string
}

// correlatorModel does what EventCorrelator does, in the plainest way.
type correlatorModel struct {
	options CorrelatorOptions
	groups  recent[modelGroup]
	counts  recent[modelCount]
	buckets recent[modelBucket]
}

type modelResult struct {
	message string
	modelCount
	skip bool
}

func (m *correlatorModel) event(now time.Time, name, object, reason, message string) modelResult {
	similar := object + "|" + reason
	same := similar + "|" + message
	g, ok := m.groups.use(similar)
	if !ok || now.Sub(g.last) > time.Duration(m.options.MaxIntervalInSeconds)*time.Second {
		g = modelGroup{}
	}
	g.last = now
	if !slices.Contains(g.messages, message) {
		if len(g.messages) == m.options.MaxEvents-1 {
			same, message = similar, "(combined from similar events): "+message
		} else {
			g.messages = append(slices.Clone(g.messages), message)
		}
	}
	m.groups.put(similar, g)

	c, ok := m.counts.use(same)
	if !ok {
		c.name = name
	}
	c.count++
	m.counts.put(same, c)

	b, ok := m.buckets.use(object)
	if !ok {
		b = modelBucket{float64(m.options.BurstSize), now}
	}
	b.tokens = min(float64(m.options.BurstSize), b.tokens+now.Sub(b.last).Seconds()*float64(m.options.QPS))
	b.last = now
	skip := b.tokens < 1
	if !skip {
		b.tokens--
	}
	m.buckets.put(object, b)
	return modelResult{message, c, skip}
}

func TestCorrelatorIsItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := time.Unix(1_700_000_000, 0)
		clock := clocktesting.NewFakePassiveClock(start)
		options := CorrelatorOptions{
			LRUCacheSize:         rapid.IntRange(1, 5).Draw(t, "size"),
			BurstSize:            rapid.IntRange(1, 6).Draw(t, "burst"),
			QPS:                  0.25, // so that no rounding can make a difference
			MaxEvents:            rapid.IntRange(1, 4).Draw(t, "maxEvents"),
			MaxIntervalInSeconds: 10,
			Clock:                clock,
		}
		correlator := NewEventCorrelatorWithOptions(options)
		model := &correlatorModel{options: options, groups: recent[modelGroup]{size: options.LRUCacheSize},
			counts: recent[modelCount]{size: options.LRUCacheSize}, buckets: recent[modelBucket]{size: options.LRUCacheSize}}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			clock.SetTime(clock.Now().Add(time.Duration(rapid.SampledFrom([]int{0, 0, 0, 1, 4, 10, 11}).Draw(t, "pause")) * time.Second))
			object := rapid.SampledFrom([]string{"a", "b", "ab"}).Draw(t, "object")
			reason := rapid.SampledFrom([]string{"R", "bR", "S"}).Draw(t, "reason")
			message := rapid.SampledFrom([]string{"1", "2", "3", "4", "5"}).Draw(t, "message")
			event := eventAbout(object, reason, message, clock.Now())
			before := event.DeepCopy()
			want := model.event(clock.Now(), event.Name, object, reason, message)
			got, err := correlator.EventCorrelate(event)
			if err != nil {
				t.Fatal(err)
			}
			if !equalEvents(before, event) {
				t.Fatalf("the event was changed: %+v", event)
			}
			checkResult(t, got, want)
		}
	})
}

func checkResult(t *rapid.T, got *EventCorrelateResult, want modelResult) {
	if got.Skip != want.skip {
		t.Fatalf("skip is %v, want %v", got.Skip, want.skip)
	}
	if want.skip {
		return
	}
	e := got.Event
	if e.Message != want.message || e.Count != want.count || e.Name != want.name {
		t.Fatalf("got %q, %d, %q, want %+v", e.Message, e.Count, e.Name, want)
	}
	if (got.Patch != nil) != (want.count > 1) {
		t.Fatalf("count %d comes with the patch %s", want.count, got.Patch)
	}
}

func eventAbout(object, reason, message string, at time.Time) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: "ns", Name: newUUID()},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "ns", Name: object},
		Type:           "Normal", Reason: reason, Message: message, Count: 1,
		FirstTimestamp: metav1.NewTime(at), LastTimestamp: metav1.NewTime(at),
	}
}

func equalEvents(a, b *corev1.Event) bool {
	return a.Name == b.Name && a.Message == b.Message && a.Count == b.Count && a.FirstTimestamp.Equal(&b.FirstTimestamp) &&
		a.LastTimestamp.Equal(&b.LastTimestamp) && a.ResourceVersion == b.ResourceVersion
}
