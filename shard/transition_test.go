package shard

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/testsize"
	"vedette.dev/shard/internal/cover"
)

// census is objects that differ in everything that scopes look at.
func census() (out []*corev1.ConfigMap) {
	for i := range 150 {
		cm := configMap("ns-"+tenantNames[i%5], fmt.Sprintf("c%02d", i%37), "")
		cm.UID = types.UID(fmt.Sprintf("uid-%d", i))
		cm.Labels = map[string]string{"tenant": append([]string{"z"}, tenantNames...)[i%6]}
		if i%3 == 0 {
			cm.Labels["other"] = "1"
		}
		out = append(out, cm)
	}
	return out
}

// TestTransitions holds what is derived from two random layouts against the objects one by one: which are lost, which have to be listed,
// and which are known already.
func TestTransitions(t *testing.T) {
	objects := census()
	for _, s := range stories() {
		t.Run(s.name, func(t *testing.T) {
			for n := range uint64(testsize.Of(30, 6)) {
				h := &history{s: &s, r: rand.New(rand.NewPCG(n, 3))}
				checkTransitions(t, h, objects)
				if t.Failed() {
					t.Fatalf("seed %d", n)
				}
			}
		})
	}
}

// checkTransitions goes through some layouts.
func checkTransitions(t *testing.T, h *history, objects []*corev1.ConfigMap) {
	layoutOf := func(shards []Shard) *layout {
		l, err := newLayout(shards, &tenancy, !h.s.partial)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	from := layoutOf(nil)
	var running []*stream
	// known is what the informer has, and from which version on: those that a stream has listed, and that were never lost.
	known := map[*corev1.ConfigMap]uint64{}
	earlier := [][]Shard{h.s.draw(h)}
	for version := uint64(1); version <= 6; version++ {
		shards := earlier[h.r.IntN(len(earlier))] // one that there was before, perhaps without a shard
		switch n := h.r.IntN(3); {
		case n == 0:
			shards = h.s.draw(h)
		case n == 1 && h.s.partial && len(shards) > 1:
			i := h.r.IntN(len(shards))
			shards = slices.Delete(slices.Clone(shards), i, i+1)
		}
		earlier = append(earlier, shards)
		to := layoutOf(shards)
		tr, err := newTransition(from, to)
		if err != nil {
			if !tolerable(fmt.Errorf("%w", err)) {
				t.Fatal(err)
			}
			continue
		}
		selects := h.r.IntN(2) == 0
		tr.arrange(running, to.streams(func(string) bool { return selects }))
		was, is := owners(from, objects), owners(to, objects)
		checkLosses(t, was, is, tr, objects)
		for _, cm := range objects {
			if is[cm] == "" || isDropped(was[cm], to, tr) {
				delete(known, cm)
			}
		}
		versions := make([]string, len(tr.stop))
		for i := range versions {
			versions[i] = fmt.Sprint(10*version + uint64(i%2)) // they are not equally far
		}
		stopped := tr.known(versions)
		running = running[:0:0]
		for old, w := range tr.keep {
			old.streamSpec = w
			running = append(running, old)
		}
		for _, w := range tr.start {
			next := &stream{streamSpec: w, resumed: w.resume(stopped, cover.Cover{})}
			running = append(running, next)
			has, resumes := next.has(), tests(next.resumed)
			for _, cm := range objects {
				if next.resumed != nil {
					checkResume(t, next, cm, has(cm), resumes, known)
				}
				if has(cm) && next.resumed == nil && is[cm] != "" {
					known[cm] = 10 * version
				}
			}
		}
		var brings []func(*corev1.ConfigMap) bool
		for _, w := range running {
			brings = append(brings, w.has())
		}
		for _, cm := range objects {
			if _, ok := known[cm]; is[cm] != "" && !ok {
				t.Errorf("%s/%s (%v) is in shard %q, and neither known nor listed", cm.Namespace, cm.Name, cm.Labels, is[cm])
			}
			if brought := slices.ContainsFunc(brings, func(has func(*corev1.ConfigMap) bool) bool { return has(cm) }); is[cm] != "" && !brought {
				t.Errorf("%s/%s is in shard %q, and no stream brings it", cm.Namespace, cm.Name, is[cm])
			}
		}
		from = to
	}
}

// owners returns the shards that objects are in, from what the documentation of Scope says.
func owners(l *layout, objects []*corev1.ConfigMap) map[*corev1.ConfigMap]string {
	out := map[*corev1.ConfigMap]string{}
	for _, id := range l.ids() {
		for _, cm := range objects {
			if l.shards[id].Scope.has(cm) {
				out[cm] = id
			}
		}
	}
	return out
}

// has returns a function that reports whether the stream brings an object: what it asks for, and what shards have of that.
func (w *stream) has() func(*corev1.ConfigMap) bool {
	asked := Scope{Labels: w.labels, Fields: w.fields}
	if w.namespace != "" {
		asked.Namespaces = []string{w.namespace}
	}
	in := everyValue(w.objects)
	return func(cm *corev1.ConfigMap) bool { return in(cm) && asked.has(cm) }
}

// everyValue returns a function that reports whether an object is in a cover, fields included.
func everyValue(c cover.Cover) func(*corev1.ConfigMap) bool {
	r := reader{hashes: map[string]HashKey{}, tenantOf: tenancy.Of}
	for _, key := range []HashKey{ByUID(), ByNamespace(), ByNamespaceMixed(), ByName(), byTenant} {
		r.hashes[key.name] = key
	}
	test := cover.Test(c, func(d cover.Dimension) cover.Reader[*Envelope] {
		if d.Kind == cover.Field {
			return cover.Reader[*Envelope]{Value: func(e *Envelope) string { return e.Name }}
		}
		return r.read(d)
	})
	return func(cm *corev1.ConfigMap) bool {
		e := *envelopeOf(cm)
		return test == nil || test(&e)
	}
}

func tests(points []progress) (out []func(*corev1.ConfigMap) bool) {
	for _, p := range points {
		out = append(out, everyValue(p.objects))
	}
	return out
}

// checkLosses: of shards that are retired no object is lost, and those that stay lose none.
func checkLosses(t *testing.T, owned, owns map[*corev1.ConfigMap]string, tr *transition, objects []*corev1.ConfigMap) {
	for _, cm := range objects {
		was, is := owned[cm], owns[cm]
		if was != "" && is == "" && !slices.Contains(tr.remove, was) {
			t.Errorf("%s/%s was in shard %q and is in none, but that shard is not removed", cm.Namespace, cm.Name, was)
		}
		if successor, ok := tr.successors[was]; ok && was != "" && successor != is {
			t.Errorf("%s/%s goes from shard %q to its successor %q, but is in shard %q", cm.Namespace, cm.Name, was, successor, is)
		}
	}
}

// isDropped reports whether an object is forgotten although a shard has it: shards by selector do not know their objects.
func isDropped(was string, to *layout, tr *transition) bool {
	if was == "" {
		return true
	}
	_, succeeded := tr.successors[was]
	return to.routers[""].strategy == strategySelector && !succeeded
}

// checkResume: a stream that does not list begins where everything is known, for each object once.
func checkResume(t *testing.T, w *stream, cm *corev1.ConfigMap, brings bool, resumes []func(*corev1.ConfigMap) bool, known map[*corev1.ConfigMap]uint64) {
	n := 0
	for _, in := range resumes {
		if in(cm) {
			n++
		}
	}
	if brings && n != 1 || !brings && n > 0 {
		t.Errorf("stream %v begins with %d versions for %s/%s, which it brings: %v", w, n, cm.Namespace, cm.Name, brings)
	}
	if _, ok := known[cm]; brings && !ok {
		t.Errorf("stream %v does not list, but %s/%s is not known", w, cm.Namespace, cm.Name)
	}
}
