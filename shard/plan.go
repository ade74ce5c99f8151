package shard

import (
	"fmt"
	"slices"
	"strings"

	"vedette.dev/internal/cover"
	"vedette.dev/internal/hashspace"
)

// streamSpec is a list and watch that a layout needs.
type streamSpec struct {
	cluster, namespace string
	// labels, fields and hashes are the selectors of the requests.
	labels, fields, hashes string
	// objects are those that the stream brings and some shard has.
	objects cover.Cover
	// label and values are what labels says, in shards by the value of a label.
	label  string
	values []string
	// shards are those that the stream has objects for.
	shards []string
	// fixed says that all objects of the stream are for its one shard, shared that the stream brings objects of several shards.
	fixed, shared bool
	// settled says that an object is in the same shard for as long as it lives, leaves that it can leave the stream without being
	// deleted.
	settled, leaves bool
	strategy        strategy
}

// request returns a text that is the same for streams that make the same requests, and do the same with the answers.
func (w *streamSpec) request() string {
	return strings.Join([]string{w.cluster, w.namespace, w.labels, w.fields, w.hashes, fmt.Sprint(w.shared, w.fixed, w.settled, w.leaves)}, "\x00")
}

// String returns the name of the stream in logs and states.
func (w *streamSpec) String() string {
	var parts []string
	for _, p := range []struct{ name, value string }{
		{"cluster", w.cluster}, {"namespace", w.namespace}, {"labels", w.labels}, {"fields", w.fields}, {"hashes", w.hashes},
	} {
		if p.value != "" {
			parts = append(parts, p.name+" "+p.value)
		}
	}
	if len(parts) == 0 {
		return "everything"
	}
	return strings.Join(parts, "; ")
}

// streams returns the streams that a layout needs. selects reports whether the server of a cluster selects by hash.
func (l *layout) streams(selects func(cluster string) bool) (out []*streamSpec) {
	for cluster, ids := range l.byCluster() {
		switch l.scopes[ids[0]].strategy {
		case strategyAll:
			out = append(out, &streamSpec{cluster: cluster, objects: in(cluster, ""), shards: ids, settled: true})
		case strategyNamespace:
			out = append(out, l.streamsByNamespace(cluster, ids)...)
		case strategyLabel:
			out = append(out, l.streamByLabel(cluster, ids))
		case strategyTenant:
			out = append(out, l.streamByTenant(cluster, ids))
		case strategySelector:
			out = append(out, l.streamsBySelector(cluster, ids)...)
		case strategyHash:
			out = append(out, l.streamsByHash(cluster, ids, selects(cluster))...)
		}
	}
	return out
}

func (l *layout) streamsByNamespace(cluster string, ids []string) (out []*streamSpec) {
	for _, id := range ids {
		for _, namespace := range l.scopes[id].Namespaces {
			out = append(out, &streamSpec{
				cluster: cluster, namespace: namespace, objects: in(cluster, namespace),
				shards: []string{id}, settled: true, strategy: strategyNamespace,
			})
		}
	}
	return out
}

// streamByLabel returns one stream for all values of a label, so that an object whose label changes is seen to change.
func (l *layout) streamByLabel(cluster string, ids []string) *streamSpec {
	w := &streamSpec{
		cluster: cluster, label: l.scopes[ids[0]].label, shards: ids,
		shared: true, leaves: true, strategy: strategyLabel,
	}
	var values []string
	for _, id := range ids {
		values = append(values, l.scopes[id].values...)
	}
	w.setValues(values)
	return w
}

func (w *streamSpec) setValues(values []string) {
	w.values = sorted(values)
	w.labels = labelIn(w.label, w.values)
	w.objects = in(w.cluster, "").Restrict(byLabel(w.label), cover.Values(w.values...))
}

// labelIn returns a label selector of some values.
func labelIn(key string, values []string) string {
	return key + " in (" + strings.Join(sorted(values), ",") + ")"
}

func sorted(values []string) []string {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}

func (l *layout) streamByTenant(cluster string, ids []string) *streamSpec {
	w := &streamSpec{cluster: cluster, shards: ids, shared: true, strategy: strategyTenant}
	var tenants []string
	for _, id := range ids {
		tenants = append(tenants, l.scopes[id].Tenant)
	}
	w.objects = in(cluster, "").Restrict(ofTenant, cover.Values(tenants...))
	return w
}

func (l *layout) streamsBySelector(cluster string, ids []string) (out []*streamSpec) {
	for _, id := range ids {
		s := l.scopes[id]
		for _, namespace := range s.namespaces() {
			out = append(out, &streamSpec{
				cluster: cluster, namespace: namespace, labels: s.Labels, fields: s.Fields,
				objects: s.cover.Intersect(in(cluster, namespace)),
				shards:  []string{id}, fixed: true, leaves: true, strategy: strategySelector,
			})
		}
	}
	return out
}

// namespaces returns the namespaces of the scope, or an empty name if it is in all of them.
func (s *scope) namespaces() []string {
	if len(s.Namespaces) == 0 {
		return []string{""}
	}
	return s.Namespaces
}

// streamsByHash returns a stream for each shard if the server selects by hash, and one for all if not: never several that bring
// everything.
func (l *layout) streamsByHash(cluster string, ids []string, selects bool) (out []*streamSpec) {
	selects = selects && l.scopes[ids[0]].Hash.path != ""
	for _, id := range ids {
		selects = selects && len(l.scopes[id].set) <= hashspace.MaxRanges
	}
	type one struct {
		*streamSpec
		sets []hashspace.Set
	}
	streams := map[string]*one{}
	var order []*one
	for _, id := range ids {
		s := l.scopes[id]
		for _, namespace := range s.namespaces() {
			w := streams[namespace]
			if selects || w == nil {
				w = &one{streamSpec: &streamSpec{
					cluster: cluster, namespace: namespace, settled: s.Hash.settled, shared: !selects, strategy: strategyHash,
				}}
				if selects {
					w.hashes, _ = hashspace.Selector(s.Hash.path, s.set) // it is within the limit
				}
				order = append(order, w)
				streams[namespace] = w
			}
			w.shards = append(w.shards, id)
			w.sets = append(w.sets, s.set)
		}
	}
	for _, w := range order {
		set := hashspace.Set{}.Union(w.sets...)
		w.objects = in(cluster, w.namespace).Restrict(byHash(l.scopes[ids[0]].Hash), cover.Hashes(set))
		out = append(out, w.streamSpec)
	}
	return out
}

// brings returns a function that reports whether an object of the stream's shards is one that the stream brings; nil if all are. Of
// dimensions in which shards of the stream cannot overlap with those of others, nothing is read: a transform may have removed it.
func (w *streamSpec) brings(r reader) func(e *Envelope) bool {
	return cover.Test(w.objects, func(d cover.Dimension) cover.Reader[*Envelope] {
		switch {
		case d.Kind == cover.Namespace,
			d.Kind == cover.Label && w.strategy == strategyLabel,
			d.Kind == cover.Hash && !w.shared:
			return r.read(d)
		}
		return cover.Reader[*Envelope]{}
	})
}
