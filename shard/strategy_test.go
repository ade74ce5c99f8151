package shard

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/shard/internal/cover"
)

// examples are shards of each strategy. Each set has an object of the census in every shard.
var examples = map[strategy][]Shard{
	strategyHash: {
		{ID: "x", Scope: Scope{Hash: ByName(), Ranges: EqualRanges(3)[:1], Namespaces: []string{"ns-a", "ns-b"}}},
		{ID: "y", Scope: Scope{Hash: ByName(), Ranges: EqualRanges(3)[1:], Namespaces: []string{"ns-a", "ns-b"}}},
	},
	strategyTenant:    {{ID: "x", Scope: Scope{Tenant: "a"}}, {ID: "y", Scope: Scope{Tenant: "b"}}},
	strategyLabel:     {{ID: "x", Scope: Scope{Labels: "tenant in (a,b,c)"}}, {ID: "y", Scope: Scope{Labels: "tenant=d"}}},
	strategySelector:  {{ID: "x", Scope: Scope{Labels: "tenant=a,!other"}}, {ID: "y", Scope: Scope{Labels: "other", Fields: "metadata.name!=c03"}}},
	strategyNamespace: {{ID: "x", Scope: Scope{Namespaces: []string{"ns-a", "ns-b", "ns-c"}}}, {ID: "y", Scope: Scope{Namespaces: []string{"ns-d"}}}},
	strategyAll:       {{ID: "x"}},
}

// TestStrategies holds every strategy to the same rules.
func TestStrategies(t *testing.T) {
	for _, s := range strategies {
		t.Run(fmt.Sprintf("%T", s), func(t *testing.T) {
			shards := examples[s]
			if len(shards) == 0 {
				t.Fatal("there is no example")
			}
			l, err := newLayout(shards, &tenancy, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, sc := range l.scopes {
				if sc.strategy != s {
					t.Errorf("shard %q (%s) is of %T", sc.id, sc.Scope, sc.strategy)
				}
			}
			checkRoutes(t, l)
			checkStreams(t, l)
			checkSplit(t, s, l)
			checkMerge(t, s, l)
			checkTwice(t, shards)
		})
	}
}

// checkRoutes: covers and routes agree with the documentation of Scope.
func checkRoutes(t *testing.T, l *layout) {
	found := map[string]bool{}
	for _, cm := range census() {
		e := *envelopeOf(cm)
		want := owners(l, []*corev1.ConfigMap{cm})[cm]
		found[want] = true
		if got := l.route("", &e); got != want && l.routers[""].find != nil {
			t.Errorf("%s/%s is routed to shard %q, want %q", cm.Namespace, cm.Name, got, want)
		}
		for _, sc := range l.scopes {
			if got := everyValue(sc.cover)(cm); got != (sc.id == want) {
				t.Errorf("the cover of shard %q has %s/%s: %v, but it is in shard %q", sc.id, cm.Namespace, cm.Name, got, want)
			}
		}
	}
	for id := range l.shards {
		if !found[id] {
			t.Errorf("no object is in shard %q", id)
		}
	}
}

// checkStreams: the streams bring the objects of the shards that they are for, all of them and no others.
func checkStreams(t *testing.T, l *layout) {
	for _, selects := range []bool{false, true} {
		brought := cover.Cover{}
		for _, w := range l.streams(func(string) bool { return selects }) {
			if !l.objectsOf(w.shards).Contains(w.objects) {
				t.Errorf("stream %v brings %v, but its shards have %v", w, w.objects, l.objectsOf(w.shards))
			}
			if w.fixed && len(w.shards) != 1 || !w.shared && len(w.shards) > 1 {
				t.Errorf("stream %v is for shards %v: fixed %v, shared %v", w, w.shards, w.fixed, w.shared)
			}
			brought = cover.Union(brought, w.objects)
		}
		if !brought.Equal(l.routers[""].objects) {
			t.Errorf("the streams bring %v, but the shards have %v", brought, l.routers[""].objects)
		}
	}
}

// checkSplit: the parts of a shard have its objects, each one part.
func checkSplit(t *testing.T, s strategy, l *layout) {
	sc := l.scopes["x"]
	objects := func(yield func(*Envelope) bool) {
		for _, cm := range census() {
			if e := envelopeOf(cm); l.shards["x"].Scope.has(cm) && !yield(e) {
				return
			}
		}
	}
	scopes, err := s.split(sc, 2, objects)
	if err != nil {
		t.Logf("split: %v", err)
		return
	}
	parts, err := newLayout([]Shard{{ID: "1", Scope: scopes[0]}, {ID: "2", Scope: scopes[1]}}, &tenancy, false)
	if err != nil {
		t.Fatal(err)
	}
	if !parts.objectsOf([]string{"1", "2"}).Equal(sc.cover) {
		t.Errorf("shard %v was split into %v and %v", sc.Scope, scopes[0], scopes[1])
	}
	checkRoutes(t, parts)
}

// checkMerge: a merged shard has the objects of both.
func checkMerge(t *testing.T, s strategy, l *layout) {
	if len(l.shards) < 2 {
		return
	}
	merged, err := s.merge(l.scopes["x"], l.scopes["y"])
	if err != nil {
		t.Logf("merge: %v", err)
		return
	}
	sc, err := readScope(&Shard{ID: "merged", Scope: merged}, &tenancy)
	if err != nil {
		t.Fatal(err)
	}
	if !sc.cover.Equal(l.objectsOf(l.ids())) {
		t.Errorf("the merged shard is %v", merged)
	}
}

// checkTwice: a second shard with the same objects is refused, and the error names both.
func checkTwice(t *testing.T, shards []Shard) {
	_, err := newLayout([]Shard{shards[0], {ID: "z", Scope: shards[0].Scope}}, &tenancy, false)
	if err == nil || !strings.Contains(err.Error(), `"x"`) || !strings.Contains(err.Error(), `"z"`) {
		t.Errorf("two shards with the same scope: %v", err)
	}
}
