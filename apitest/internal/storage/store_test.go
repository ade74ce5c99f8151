package storage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

var pods, nodes = Resource{Resource: "pods"}, Resource{Resource: "nodes"}

// model is a store that keeps every state there ever was.
type model struct {
	states  []map[Resource]map[string]string // by version: key to "version/text"
	history int
	counts  map[Resource][]uint64 // versions of the events
	floor   uint64
}

func (m *model) version() uint64 { return uint64(len(m.states) - 1) }

func (m *model) write(r Resource, key, text string) {
	next := map[Resource]map[string]string{}
	for resource, objects := range m.states[m.version()] {
		next[resource] = map[string]string{}
		for k, v := range objects {
			next[resource][k] = v
		}
	}
	if next[r] == nil {
		next[r] = map[string]string{}
	}
	if text == "" {
		delete(next[r], key)
	} else {
		next[r][key] = fmt.Sprintf("%d/%s", m.version()+1, text)
	}
	m.states = append(m.states, next)
	m.counts[r] = append(m.counts[r], m.version())
}

// oldest is the oldest version at which the resource is still known.
func (m *model) oldest(r Resource) uint64 {
	events := m.counts[r]
	if len(events) <= m.history {
		return m.floor
	}
	return max(m.floor, events[len(events)-m.history-1])
}

func (m *model) list(r Resource, version uint64, namespace string) []string {
	var found []string
	for key, text := range m.states[version][r] {
		if namespace == "" || strings.HasPrefix(key, namespace+"/") {
			found = append(found, key+"="+text)
		}
	}
	slices.Sort(found)
	return found
}

func node(text string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"text": text}}}
}

func describe(item *Item) string {
	m := item.Object.(*corev1.Node)
	return fmt.Sprintf("%s=%s/%s", item.Key, m.ResourceVersion, m.Annotations["text"])
}

func TestStoreAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		history := rapid.IntRange(1, 20).Draw(t, "history")
		s := New(history)
		m := &model{states: make([]map[Resource]map[string]string, 2), history: history, counts: map[Resource][]uint64{}}
		resources := rapid.SampledFrom([]Resource{pods, nodes})
		keys := rapid.SampledFrom([]string{"a/x", "a/y", "a-b/x", "b/x", "b/y", "c"})
		var items []*Item // that were once the newest
		t.Repeat(map[string]func(*rapid.T){
			"create": func(t *rapid.T) {
				r, key := resources.Draw(t, "resource"), keys.Draw(t, "key")
				item, err := s.Create(r, key, node("new"))
				if _, exists := m.states[m.version()][r][key]; exists {
					if !errors.Is(err, ErrExists) {
						t.Fatalf("created %s twice: %v", key, err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				m.write(r, key, "new")
				items = append(items, item)
			},
			"change": func(t *rapid.T) {
				if len(items) == 0 {
					t.Skip()
				}
				r := resources.Draw(t, "resource")
				old := rapid.SampledFrom(items).Draw(t, "old")
				remove := rapid.Bool().Draw(t, "remove")
				current := s.Get(r, old.Key) == old
				var item *Item
				var err error
				if remove {
					item, err = s.Delete(r, old)
				} else {
					item, err = s.Update(r, old, node("changed"))
				}
				if !current {
					if !errors.Is(err, ErrChanged) {
						t.Fatalf("replaced what is not the newest: %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if remove {
					m.write(r, old.Key, "")
					return
				}
				m.write(r, old.Key, "changed")
				items = append(items, item)
			},
			"compact": func(t *rapid.T) {
				version := rapid.Uint64Range(0, m.version()+2).Draw(t, "version")
				s.Compact(version)
				m.floor = max(m.floor, min(version, m.version()))
			},
			"list": func(t *rapid.T) {
				r := resources.Draw(t, "resource")
				version := rapid.Uint64Range(0, m.version()+1).Draw(t, "version")
				namespace := rapid.SampledFrom([]string{"", "a", "b", "zz"}).Draw(t, "namespace")
				snapshot, err := s.Snapshot(r, version)
				at := version
				if version == 0 {
					at = m.version()
				}
				switch {
				case at > m.version():
					if !errors.Is(err, ErrFuture) {
						t.Fatalf("of the future: %v", err)
					}
					return
				case at < m.oldest(r):
					if !errors.Is(err, ErrCompacted) {
						t.Fatalf("at %d, and the oldest is %d: %v", at, m.oldest(r), err)
					}
					return
				case err != nil:
					t.Fatal(err)
				}
				var got []string
				for item := range snapshot.Items(namespace, "") {
					got = append(got, describe(item))
				}
				if !slices.Equal(sorted(got), m.list(r, at, namespace)) {
					t.Fatalf("at %d: %v, want %v", at, got, m.list(r, at, namespace))
				}
				if snapshot.Count(namespace, "") != len(got) {
					t.Fatalf("counted %d of %d", snapshot.Count(namespace, ""), len(got))
				}
			},
			"replay": func(t *rapid.T) {
				r := resources.Draw(t, "resource")
				from := rapid.Uint64Range(1, m.version()+1).Draw(t, "from")
				log, err := s.Log(r, from)
				if from > m.version() {
					if !errors.Is(err, ErrFuture) {
						t.Fatalf("of the future: %v", err)
					}
					return
				}
				if from < m.oldest(r) {
					if !errors.Is(err, ErrCompacted) {
						t.Fatalf("from %d, and the oldest is %d: %v", from, m.oldest(r), err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				replay(t, m, r, from, log)
			},
			"": func(t *rapid.T) {
				if err := s.verify(); err != nil {
					t.Fatal(err)
				}
				if s.Version() != m.version() {
					t.Fatalf("version %d, want %d", s.Version(), m.version())
				}
			},
		})
	})
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// replay applies the events after a version to the state at it, which must lead to the newest state.
func replay(t *rapid.T, m *model, r Resource, from uint64, log *Log) {
	events, version, _, err := log.Next()
	if err != nil || version != m.version() {
		t.Fatalf("read up to %d of %d: %v", version, m.version(), err)
	}
	state := map[string]string{}
	for _, text := range m.list(r, from, "") {
		key, _, _ := strings.Cut(text, "=")
		state[key] = text
	}
	for _, e := range events {
		if e.Type == Deleted {
			delete(state, e.Item.Key)
		} else {
			state[e.Item.Key] = describe(e.Item)
		}
	}
	var got []string
	for _, text := range state {
		got = append(got, text)
	}
	if !slices.Equal(sorted(got), m.list(r, m.version(), "")) {
		t.Fatalf("after the events: %v, want %v", sorted(got), m.list(r, m.version(), ""))
	}
	if more, _, _, _ := log.Next(); len(more) != 0 {
		t.Fatalf("%d events come twice", len(more))
	}
}

func TestTreeAgainstSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var current tree
		have := map[string]*Item{}
		number := rapid.IntRange(0, 1000)
		var old []snapshotWith
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				first := number.Draw(t, "first")
				for i := range rapid.IntRange(1, 400).Draw(t, "count") {
					item := &Item{Key: fmt.Sprintf("%04d", (first+i)%1000)}
					current.set(item)
					have[item.Key] = item
				}
			},
			"remove": func(t *rapid.T) {
				first := number.Draw(t, "first")
				for i := range rapid.IntRange(1, 400).Draw(t, "count") {
					key := fmt.Sprintf("%04d", (first+i)%1000)
					current.remove(key)
					delete(have, key)
				}
			},
			"": func(t *rapid.T) {
				if err := current.verify(); err != nil {
					t.Fatal(err)
				}
				for _, kept := range old { // those of before are as they were
					if got := itemsOf(&kept.tree); !slices.Equal(got, kept.items) {
						t.Fatalf("a snapshot has changed: it has %d items, and had %d", len(got), len(kept.items))
					}
				}
				if rapid.Bool().Draw(t, "snapshot") {
					old = append(old[max(0, len(old)-3):], snapshotWith{current.snapshot(), itemsOf(&current)})
				}
				if current.size != len(have) {
					t.Fatalf("%d items, want %d", current.size, len(have))
				}
				start := fmt.Sprintf("%04d", number.Draw(t, "start"))
				rank, count := current.rank(start), 0
				for item := range current.from(start) {
					if have[item.Key] != item || item.Key < start {
						t.Fatalf("%s is not there", item.Key)
					}
					count++
				}
				if rank+count != len(have) {
					t.Fatalf("%d before and %d from %s on, of %d", rank, count, start, len(have))
				}
			},
		})
	})
}

// snapshotWith is a snapshot and what was in it.
type snapshotWith struct {
	tree  tree
	items []*Item
}

func itemsOf(t *tree) []*Item { return slices.Collect(t.from("")) }
