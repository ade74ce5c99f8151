package shard

import (
	"fmt"
	"slices"
	"strings"

	"vedette.dev/shard/internal/cover"
)

// streamSpec is a list and watch that a layout needs.
type streamSpec struct {
	cluster, namespace string
	// labels, fields and hashes are the selectors of the requests.
	labels, fields, hashes string
	// objects are those that the stream delivers and some shard has.
	objects cover.Cover
	// label and values are the content of labels, for shards by the value of a label.
	label  string
	values []string
	// shards are those that the stream has objects for.
	shards []string
	// fixed means that all objects of the stream are in its one shard, shared that the stream has objects of several
	// shards.
	fixed, shared bool
	// settled means that an object never changes its shard, leaves that it can leave the stream without being deleted.
	settled, leaves bool
	// reads is the dimension, besides the namespace, in which the shards of the stream can overlap with those of other
	// streams; empty if there is none.
	reads cover.Kind
	// probes means that there would be other streams if the server selected by hash, so that the stream waits for the
	// probe.
	probes bool
}

// request returns a text that is equal for streams that make the same requests, and process the responses in the same
// way.
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
	for _, r := range l.routers {
		out = append(out, r.strategy.streams(r.shards, selects(r.shards[0].Cluster))...)
	}
	return out
}

// brings returns a function that reports whether the stream delivers an object of its shards; nil if it delivers all.
// Dimensions in which the shards cannot overlap with those of other streams are not read: a transform may have removed
// the fields.
func (w *streamSpec) brings(r reader) func(e *Envelope) bool {
	return cover.Test(w.objects, func(d cover.Dimension) cover.Reader[*Envelope] {
		if d.Kind == cover.Namespace || d.Kind == w.reads {
			return r.read(d)
		}
		return cover.Reader[*Envelope]{}
	})
}

func sorted(values []string) []string {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}
