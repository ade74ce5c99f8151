package shard

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"vedette.dev/shard/internal/cover"
)

// transition is what has to happen so that one layout takes the place of another. It is derived from the layouts, and from the
// streams that run, alone.
type transition struct {
	// add are shards that are new, limit those that stay and have other limits.
	add, limit []string
	// retire are shards that go and whose objects are all in others, remove those that go and have objects that no other has.
	retire, remove []string
	// successors are the shards by selector that have all objects of a shard from now on, by its ID.
	successors map[string]string
	// keep are the streams that go on, with what they are for from now on. stop are those that end, start those that begin.
	keep  map[*stream]*streamSpec
	stop  []*stream
	start []*streamSpec
}

// newTransition returns the transition from one layout to another, or why there is none: a shard that stays keeps all that it has,
// unless other shards have the rest.
func newTransition(from, to *layout) (*transition, error) {
	t := &transition{successors: map[string]string{}}
	for _, id := range to.ids() {
		is, was := to.shards[id], from.shards[id]
		switch {
		case was == nil:
			t.add = append(t.add, id)
		case is.Limits != was.Limits:
			t.limit = append(t.limit, id)
		}
	}
	for _, id := range from.ids() {
		kept, successor := to.takes(id, from.scopes[id])
		if successor != "" {
			t.successors[id] = successor
		}
		switch {
		case to.shards[id] != nil:
			if err := to.mayFollow(id, from.scopes[id], kept); err != nil {
				return nil, err
			}
		case kept:
			t.retire = append(t.retire, id)
		default:
			t.remove = append(t.remove, id)
		}
	}
	return t, nil
}

// takes reports whether the shards of a layout have all objects of a shard of the layout before. If only the server can evaluate the
// scopes, one shard must have all of them, and successor is its ID.
func (l *layout) takes(id string, was *scope) (all bool, successor string) {
	r := l.routers[prefixOf(was.Cluster)]
	switch {
	case r == nil:
		return false, ""
	case r.find != nil:
		return r.objects.Contains(was.cover), ""
	}
	for _, candidate := range slices.Concat([]string{id}, l.ids()) {
		if is := l.scopes[candidate]; is != nil && is.cover.Contains(was.cover) {
			return true, candidate
		}
	}
	return false, ""
}

// mayFollow reports what keeps a shard from having another scope.
func (l *layout) mayFollow(id string, was *scope, kept bool) error {
	is := l.scopes[id]
	switch {
	case is.Cluster != was.Cluster:
		return fmt.Errorf("shard %q was in cluster %q and is now in cluster %q; remove it, and add another", id, was.Cluster, is.Cluster)
	case !kept:
		return fmt.Errorf("shard %q would lose objects that no other shard has (%s, before %s); split it, and remove a part", id, is.Scope, was.Scope)
	}
	return nil
}

// errNoShards is returned instead of a layout without shards in the place of one that has all hashes.
var errNoShards = errors.New("without shards all hashes would be in no shard; set Config.Partial if they may be")

// arrange decides which streams go on. One that brings everything, and of which more is needed than before, begins again.
func (t *transition) arrange(running []*stream, specs []*streamSpec) {
	t.keep = map[*stream]*streamSpec{}
	taken := map[*streamSpec]bool{}
	for _, old := range running {
		i := slices.IndexFunc(specs, func(w *streamSpec) bool { return !taken[w] && t.goesOnAs(old, w) })
		if i < 0 {
			t.stop = append(t.stop, old)
			continue
		}
		t.keep[old] = specs[i]
		taken[specs[i]] = true
	}
	for _, w := range specs {
		if !taken[w] {
			t.start = append(t.start, w)
		}
	}
}

// goesOnAs reports whether a stream that runs brings all that another would.
func (t *transition) goesOnAs(old *stream, w *streamSpec) bool {
	if old.request() != w.request() || !old.objects.Contains(w.objects) {
		return false
	}
	return !w.fixed || t.successors[old.shards[0]] == w.shards[0]
}

// progress is up to which version all changes of some objects are known.
type progress struct {
	objects cover.Cover
	version uint64
}

// resume returns from which versions a stream can begin to watch: what of known is about objects of the stream, each object once, with
// the highest version. It returns nil if some object of the stream is not in known, or is in incomplete, which are those of which some
// were left out: then the stream has to list.
func (w *streamSpec) resume(known []progress, incomplete cover.Cover) []progress {
	if w.fixed || w.objects.Overlaps(incomplete) {
		return nil // the objects of a fixed stream can only be told from others by a list
	}
	known = slices.SortedFunc(slices.Values(known), func(a, b progress) int { return cmp.Compare(b.version, a.version) })
	rest := w.objects
	byVersion := map[uint64][]cover.Cover{}
	for _, p := range known {
		if part := rest.Intersect(p.objects); !part.IsEmpty() {
			byVersion[p.version] = append(byVersion[p.version], part)
			rest = rest.Subtract(p.objects)
		}
	}
	if !rest.IsEmpty() {
		return nil
	}
	out := []progress{}
	for _, version := range slices.Sorted(maps.Keys(byVersion)) {
		out = append(out, progress{cover.Union(byVersion[version]...), version})
	}
	return out
}

// reached returns what is known when a stream has ended that got to a version. 0 means that nothing is known: the stream has not begun, or
// had to list again what a full shard had left out, and has not done so. Nothing is known of objects that the stream is no longer for,
// either: they may have been removed from the store since.
func (t *stream) reached(version uint64) []progress {
	switch {
	case version == 0:
		return nil
	case len(t.resumed) == 0:
		return []progress{{t.objects, version}}
	}
	out := make([]progress, len(t.resumed))
	for i, p := range t.resumed {
		out[i] = progress{p.objects.Intersect(t.objects), max(p.version, version)}
	}
	return out
}
