package cache

import (
	"fmt"
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/watch"
	"pgregory.net/rapid"
)

// TestMailboxModel holds the mailbox against what it promises: of each key the newest state, one at a time, in order.
func TestMailboxModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMailbox()
		trays := []*tray{m.newTray(), m.newTray(), m.newTray()}
		streams := []*Stream{{}, {}}
		newest, taken := map[string]uint64{}, map[string]uint64{}
		hands := make([][]*letter, len(trays))
		version := uint64(0)
		never := func() bool { return false }
		finish := func(at int) {
			m.done(hands[at])
			hands[at] = nil
		}
		take := func(at int, t *rapid.T) {
			if len(hands[at]) > 0 || trays[at].letters.len() == 0 {
				return
			}
			hands[at] = m.take(trays[at], rapid.IntRange(1, 3).Draw(t, "most"))
			for _, l := range hands[at] {
				for other, hand := range hands {
					for _, o := range hand {
						if other != at && o.key == l.key {
							t.Fatalf("%s is in two hands", l.key)
						}
					}
				}
				v, _ := strconv.ParseUint(l.id.version, 10, 64)
				if v <= taken[l.key] {
					t.Fatalf("%s was handed out at %d after %d", l.key, v, taken[l.key])
				}
				taken[l.key] = v
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				version++
				l := &letter{
					key: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"), what: watch.Modified,
					id: stamp{"u", fmt.Sprint(version)}, stream: streams[rapid.IntRange(0, 1).Draw(t, "stream")],
				}
				newest[l.key] = version
				if !m.put(l, trays[rapid.IntRange(0, 2).Draw(t, "tray")], 0, never) {
					t.Fatal("not taken")
				}
			},
			"put an old one": func(t *rapid.T) { // from a stream that is behind
				key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key")
				if before := m.letters.m[key]; before == nil || before.inHand && before.next == nil {
					return // there, the store tells that it is old
				}
				m.put(&letter{key: key, what: watch.Deleted, id: stamp{"u", "0"}, stream: &Stream{}}, trays[0], 0, never)
			},
			"take": func(t *rapid.T) { take(rapid.IntRange(0, 2).Draw(t, "tray"), t) },
			"done": func(t *rapid.T) { finish(rapid.IntRange(0, 2).Draw(t, "tray")) },
		})
		for range 3 {
			for at := range trays {
				finish(at)
				for trays[at].letters.len() > 0 {
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
		if len(m.letters.m) != 0 {
			t.Fatalf("%d letters are left", len(m.letters.m))
		}
	})
}

func TestMailboxClosedTray(t *testing.T) {
	m := newMailbox()
	tr := m.newTray()
	never := func() bool { return false }
	m.put(&letter{key: "a", id: stamp{"u", "1"}}, tr, 0, never)
	m.close(tr)
	if m.put(&letter{key: "b", id: stamp{"u", "1"}}, tr, 0, never) {
		t.Error("a closed tray took a letter")
	}
	if !m.put(&letter{key: "a", id: stamp{"u", "2"}}, tr, 0, never) {
		t.Error("what joins a letter that waits was not taken")
	}
	got := m.take(tr, 10)
	if len(got) != 1 || got[0].id.version != "2" {
		t.Errorf("took %v", got)
	}
	m.done(got)
	if m.take(tr, 10) != nil {
		t.Error("there is more")
	}
}

// TestBacklogLoses has keys lost of which a handler has heard, and others.
func TestBacklogLoses(t *testing.T) {
	var b backlog
	number := uint64(0)
	add := func(n notice) {
		number++
		b.add(&n, number, 0)
	}
	add(notice{key: "new", new: 1, what: added})
	add(notice{key: "changed", old: 1, new: 2, what: updated})
	add(notice{key: "gone", old: 1, what: deleted})
	add(notice{key: "again", old: 1, what: deleted})
	add(notice{key: "again", new: 2, what: added})
	add(notice{key: "lost", what: lost, old: []string{"new", "changed", "again", "quiet"}})
	add(notice{key: "changed", new: 3, what: added})
	add(notice{key: "lost", what: lost, old: []string{"more"}})
	var got []string
	for b.len() > 0 {
		w := b.pop()
		got = append(got, fmt.Sprint(w.key, " ", w.what, " ", w.old, " ", w.new))
	}
	wantEqual(t, "what is told", got, []string{
		fmt.Sprint("gone ", deleted, " 1 <nil>"),
		fmt.Sprint("again ", deleted, " 1 <nil>"),
		fmt.Sprint("lost ", lost, " [changed quiet more] <nil>"),
		fmt.Sprint("changed ", added, " <nil> 3"),
	})
}
