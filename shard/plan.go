package shard

import (
	"fmt"
	"strings"

	"vedette.dev/internal/hashspace"
)

// want is a stream that a layout needs.
type want struct {
	cluster, namespace string
	// labels, fields and hashes are the selectors that the server is asked with.
	labels, fields, hashes string
	cover                  cover
	hash                   HashKey // of a hash
	label                  string  // of a label
	partitions             []string
	fixed, shared          bool
	settled, leaves        bool
}

// ident is the same for streams that ask for the same.
func (w *want) ident() string {
	return strings.Join([]string{w.cluster, w.namespace, w.labels, w.fields, w.hashes, fmt.Sprint(w.shared, w.fixed)}, "\x00")
}

// String names the stream in logs and states.
func (w *want) String() string {
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

// streams is what a layout needs. selects says of which clusters the server can select by hash.
func (l *layout) streams(selects func(cluster string) bool) (out []*want) {
	for cluster, ids := range l.byCluster() {
		switch l.scopes[ids[0]].family {
		case familyAll:
			out = append(out, &want{cluster: cluster, cover: cover{family: familyAll}, partitions: ids, settled: true})
		case familyNamespace:
			out = append(out, l.byNamespace(cluster, ids)...)
		case familyLabel:
			out = append(out, l.byLabel(cluster, ids))
		case familyTenant:
			out = append(out, l.byTenant(cluster, ids))
		case familyAsked:
			out = append(out, l.asked(cluster, ids)...)
		case familyHash:
			out = append(out, l.byHash(cluster, ids, selects(cluster))...)
		}
	}
	return out
}

func (l *layout) byNamespace(cluster string, ids []string) (out []*want) {
	for _, id := range ids {
		for _, c := range l.scopes[id].covers() {
			out = append(out, &want{cluster: cluster, namespace: c.namespace, cover: c, partitions: []string{id}, settled: true})
		}
	}
	return out
}

// byLabel is one stream for all values of a label, so that an object whose label changes is seen to change.
func (l *layout) byLabel(cluster string, ids []string) *want {
	w := &want{cluster: cluster, label: l.scopes[ids[0]].label, partitions: ids, shared: true, leaves: true}
	var values []string
	for _, id := range ids {
		values = append(values, l.scopes[id].values...)
	}
	w.setValues(values)
	return w
}

func (w *want) setValues(values []string) {
	values = sorted(values)
	w.cover = cover{family: familyLabel, values: values}
	w.labels = w.label + " in (" + strings.Join(values, ",") + ")"
}

func (l *layout) byTenant(cluster string, ids []string) *want {
	w := &want{cluster: cluster, partitions: ids, shared: true, cover: cover{family: familyTenant}}
	for _, id := range ids {
		w.cover.values = append(w.cover.values, l.scopes[id].Tenant)
	}
	w.cover.values = sorted(w.cover.values)
	return w
}

func (l *layout) asked(cluster string, ids []string) (out []*want) {
	for _, id := range ids {
		s := l.scopes[id]
		namespaces := s.Namespaces
		if len(namespaces) == 0 {
			namespaces = []string{""}
		}
		for _, namespace := range namespaces {
			out = append(out, &want{
				cluster: cluster, namespace: namespace, labels: s.Labels, fields: s.Fields, cover: s.covers()[0],
				partitions: []string{id}, fixed: true, leaves: true,
			})
		}
	}
	return out
}

// byHash is a stream for each shard if the server can select, and one for all if not: never several that bring everything.
func (l *layout) byHash(cluster string, ids []string, selects bool) (out []*want) {
	selects = selects && l.scopes[ids[0]].Hash.path != ""
	for _, id := range ids {
		selects = selects && len(l.scopes[id].set) <= hashspace.MaxRanges
	}
	shared := map[string]*want{}
	for _, id := range ids {
		s := l.scopes[id]
		for _, c := range s.covers() {
			w := shared[c.namespace]
			if selects || w == nil {
				w = &want{cluster: cluster, namespace: c.namespace, hash: s.Hash, cover: cover{family: familyHash, namespace: c.namespace},
					settled: s.Hash.settled, shared: !selects}
				out = append(out, w)
				shared[c.namespace] = w
			}
			w.partitions = append(w.partitions, id)
			w.cover.set = w.cover.set.Union(c.set)
			if selects {
				w.hashes, _ = hashspace.Selector(s.Hash.path, c.set) // it is within the limit
			}
		}
	}
	return out
}

// test says whether an object is in a cover, as far as its envelope tells. Nil means that all are.
func (w *want) test(c cover) func(e *Envelope) bool {
	namespace := c.namespace
	switch c.family {
	case familyHash:
		if c.set.IsEverything() {
			return inNamespace(namespace)
		}
		return func(e *Envelope) bool {
			return (namespace == "" || e.Namespace == namespace) && c.set.Contains(w.hash.hash(e))
		}
	case familyLabel:
		values := make(map[string]bool, len(c.values))
		for _, v := range c.values {
			values[v] = true
		}
		return func(e *Envelope) bool {
			value, ok := e.Labels()[w.label]
			return ok && values[value]
		}
	}
	return inNamespace(namespace)
}

func inNamespace(namespace string) func(e *Envelope) bool {
	if namespace == "" {
		return nil
	}
	return func(e *Envelope) bool { return e.Namespace == namespace }
}
