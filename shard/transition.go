package shard

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"vedette.dev/shard/internal/cover"
)

// transition is the set of steps from one layout to another. It is derived only from the layouts and the running
// streams.
type transition struct {
	// add are new shards, limit those that stay and have other limits.
	add, limit []string
	// retire are shards that are removed and whose objects are all in others, remove those that are removed and have
	// objects that no other has.
	retire, remove []string
	// successors are the shards by selector that take over all objects of a shard, by its ID.
	successors map[string]string
	// keep are the streams that continue, with their new specs. stop are those that end, start those that are new.
	keep  map[*stream]*streamSpec
	stop  []*stream
	start []*streamSpec
}

// newTransition returns the transition from one layout to another, or an error if there is none: a shard that stays
// keeps all its objects, unless other shards have the rest.
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

// takes reports whether the shards of a layout have all objects of a shard of the previous layout. If only the server
// can evaluate the scopes, one shard must have all of them, and successor is its ID.
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

// mayFollow returns an error if a shard cannot have its new scope.
func (l *layout) mayFollow(id string, was *scope, kept bool) error {
	is := l.scopes[id]
	switch {
	case is.Cluster != was.Cluster:
		return fmt.Errorf("shard %q cannot move from cluster %q to cluster %q; remove it, and add another", id, was.Cluster, is.Cluster)
	case !kept:
		return fmt.Errorf("shard %q would lose objects that no other shard has (%s, before %s); split it, and remove a part", id, is.Scope, was.Scope)
	}
	return nil
}

// errNoShards is the error for an empty layout that would replace one that has all hashes.
var errNoShards = errors.New("without shards all hashes would be in no shard; set Config.Partial if they may be")

// arrange decides which streams continue. One that delivers everything, and of which more is needed than before, is
// restarted.
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

// goesOnAs reports whether a running stream delivers all that another one would.
func (t *transition) goesOnAs(old *stream, w *streamSpec) bool {
	if old.request() != w.request() || !old.objects.Contains(w.objects) {
		return false
	}
	return !w.fixed || t.successors[old.shards[0]] == w.shards[0]
}

// progress is the version up to which all changes of some objects are known.
type progress struct {
	objects cover.Cover
	version uint64
}

// resume returns the versions from which a stream can resume: the entries of known about objects of the stream, each
// object once, with the highest version. It returns nil if some object of the stream is not in known, or is in
// incomplete, which are objects of which some were skipped: then the stream has to list.
func (w *streamSpec) resume(known []progress, incomplete cover.Cover) []progress {
	if w.fixed || w.objects.Overlaps(incomplete) {
		return nil // the objects of a fixed stream can be distinguished from others only by a list
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

// reached returns what is known after a stream has ended at a version. 0 means that nothing is known: the stream has
// not started, or had to list again what a full shard had skipped, and has not done so. Nothing is known about objects
// that the stream is no longer for, either: they may have been removed from the store since.
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
