package engine

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"pgregory.net/rapid"

	"vedette.dev/internal/object"
)

// TestDeltaQueueModel compares a deltaQueue with what it promises: of each key the newest state, one at a time, in order.
func TestDeltaQueueModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newDeltaQueue()
		inboxes := []*inbox{m.newInbox(), m.newInbox(), m.newInbox()}
		streams := []*Stream{{}, {}}
		newest, taken := map[string]uint64{}, map[string]uint64{}
		hands := make([][]*pendingEvent, len(inboxes))
		version := uint64(0)
		never := func() bool { return false }
		finish := func(at int) {
			m.done(inboxes[at], hands[at])
			hands[at] = nil
		}
		take := func(at int, t *rapid.T) {
			if len(hands[at]) > 0 || inboxes[at].keys.Len() == 0 {
				return
			}
			hands[at], _, _ = m.take(inboxes[at], rapid.IntRange(1, 3).Draw(t, "most"))
			for _, ev := range hands[at] {
				for other, hand := range hands {
					for _, o := range hand {
						if other != at && o.key == ev.key {
							t.Fatalf("%s is in two hands", ev.key)
						}
					}
				}
				v, _ := strconv.ParseUint(ev.rev.Version, 10, 64)
				if v <= taken[ev.key] {
					t.Fatalf("%s was handed out at %d after %d", ev.key, v, taken[ev.key])
				}
				taken[ev.key] = v
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				version++
				ev := &pendingEvent{
					key: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"),
					rev: object.Revision{UID: "u", Version: fmt.Sprint(version)}, stream: streams[rapid.IntRange(0, 1).Draw(t, "stream")],
				}
				newest[ev.key] = version
				if !m.put(ev, inboxes[rapid.IntRange(0, 2).Draw(t, "inbox")], 0, never) {
					t.Fatal("not taken")
				}
			},
			"put an old one": func(t *rapid.T) { // from a stream that is behind
				key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key")
				if before := m.keys.Get(key); before == nil || before.taken && before.next == nil {
					return // there, the store tells that it is old
				}
				m.put(&pendingEvent{key: key, deleted: true, rev: object.Revision{UID: "u", Version: "0"}, stream: &Stream{}}, inboxes[0], 0, never)
			},
			"take": func(t *rapid.T) { take(rapid.IntRange(0, 2).Draw(t, "inbox"), t) },
			"done": func(t *rapid.T) { finish(rapid.IntRange(0, 2).Draw(t, "inbox")) },
		})
		for range 3 {
			for at := range inboxes {
				finish(at)
				for inboxes[at].keys.Len() > 0 {
					take(at, t)
					finish(at)
				}
			}
		}
		for key, v := range newest {
			if taken[key] != v {
				t.Fatalf("%s was last handed out at %d, want %d", key, taken[key], v)
			}
		}
		if m.keys.Len() != 0 {
			t.Fatalf("%d keys are left", m.keys.Len())
		}
	})
}

// TestDeltaQueueKeepsAll compares an inbox that keeps all states with what was put into it: each key has all its states, in order, and
// the version is that of the last event or bookmark.
func TestDeltaQueueKeepsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newDeltaQueue()
		in := q.newInbox()
		in.keepAll = true
		stream := &Stream{}
		want, got := map[string][]string{}, map[string][]string{}
		version, put := 0, 0
		var hand []*pendingEvent
		done := func() {
			q.done(in, hand)
			hand = nil
		}
		take := func() {
			if len(hand) > 0 || in.keys.Len() == 0 && !in.moved {
				return
			}
			events, at, ok := q.take(in, 1)
			if !ok || at != fmt.Sprint(version) {
				t.Fatalf("taken %v at version %q, want %d", ok, at, version)
			}
			for _, ev := range events {
				for ; ev != nil; ev = ev.later {
					got[ev.key] = append(got[ev.key], ev.rev.Version)
				}
			}
			hand = events
		}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				version++
				key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key")
				what := rapid.SampledFrom([]watch.EventType{watch.Added, watch.Modified, watch.Deleted}).Draw(t, "what")
				want[key] = append(want[key], fmt.Sprint(version))
				put++
				q.put(&pendingEvent{key: key, deleted: what == watch.Deleted, rev: object.Revision{UID: "u", Version: fmt.Sprint(version)}, stream: stream, at: time.Now().UnixNano()}, in, 0, nil)
			},
			"put one twice": func(t *rapid.T) {
				key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key")
				waits := q.keys.Get(key)
				if waits == nil || waits.taken || !waits.last().storable() || waits.last().rev.Version != fmt.Sprint(version) {
					return
				}
				q.put(&pendingEvent{key: key, rev: waits.last().rev, stream: stream, at: time.Now().UnixNano()}, in, 0, nil)
			},
			"bookmark": func(t *rapid.T) {
				version++
				q.bookmark(in, fmt.Sprint(version))
			},
			"take": func(t *rapid.T) { take() },
			"done": func(t *rapid.T) { done() },
		})
		for range 2 {
			done()
			take()
		}
		done()
		for key, versions := range want {
			if !slices.Equal(got[key], versions) {
				t.Fatalf("%s was handed out at %v, want %v", key, got[key], versions)
			}
		}
		if q.keys.Len() != 0 || in.count != 0 || stream.pending != 0 || in.applied != uint64(put) || in.added != uint64(put) {
			t.Fatalf("left: %d keys, %d events, %d of the stream; %d of %d applied", q.keys.Len(), in.count, stream.pending, in.applied, put)
		}
	})
}

func TestDeltaQueueClosedInbox(t *testing.T) {
	m := newDeltaQueue()
	tr := m.newInbox()
	never := func() bool { return false }
	m.put(&pendingEvent{key: "a", stream: &Stream{}, rev: object.Revision{UID: "u", Version: "1"}}, tr, 0, never)
	m.close(tr)
	if m.put(&pendingEvent{key: "b", stream: &Stream{}, rev: object.Revision{UID: "u", Version: "1"}}, tr, 0, never) {
		t.Error("a closed inbox took an event")
	}
	if !m.put(&pendingEvent{key: "a", stream: &Stream{}, rev: object.Revision{UID: "u", Version: "2"}}, tr, 0, never) {
		t.Error("what joins an event that waits was not taken")
	}
	got, _, _ := m.take(tr, 10)
	if len(got) != 1 || got[0].rev.Version != "2" {
		t.Errorf("took %v", got)
	}
	m.done(tr, got)
	if _, _, ok := m.take(tr, 10); ok {
		t.Error("there is more")
	}
}
