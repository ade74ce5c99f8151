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
	// reads is the dimension, beside the namespace, in which the shards of the stream can overlap with those of other streams; empty if
	// there is none.
	reads cover.Kind
	// probes says that there would be other streams if the server selected by hash, so that the stream waits while the server is probed.
	probes bool
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
	for _, r := range l.routers {
		out = append(out, r.strategy.streams(r.shards, selects(r.shards[0].Cluster))...)
	}
	return out
}

// brings returns a function that reports whether an object of the stream's shards is one that the stream brings; nil if all are. Of
// dimensions in which shards of the stream cannot overlap with those of others, nothing is read: a transform may have removed it.
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
