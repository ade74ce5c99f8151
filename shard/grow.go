package shard

import "slices"

// joinLater waits until separately started streams of label values have been listed, and then joins them with the
// others.
func (s *TypedShardingInformer[T]) joinLater(start []*streamSpec) {
	for _, w := range start {
		if w.label == "" {
			continue
		}
		var synced []<-chan struct{}
		for _, id := range w.shards {
			synced = append(synced, s.engine.PartitionSynced(id))
		}
		s.work.Go(func() { s.lookAfter(synced) })
	}
}

// grow returns the streams to run. When values are added to a label, the streams of its other values continue, and
// another stream is started for the new values. When that has been listed, one stream replaces all of them.
func (s *TypedShardingInformer[T]) grow(wants []*streamSpec, next *layout) []*streamSpec {
	var out []*streamSpec
	for _, w := range wants {
		if w.label == "" {
			out = append(out, w)
			continue
		}
		out = append(out, s.growLabels(w, next)...)
	}
	return out
}

func (s *TypedShardingInformer[T]) growLabels(w *streamSpec, next *layout) []*streamSpec {
	rest, ready := w.values, true
	var parts []*streamSpec
	part := func(values []string) {
		if len(values) == 0 {
			return
		}
		p := *w
		p.setValues(values)
		p.shards = next.holders(w.cluster, values)
		parts = append(parts, &p)
	}
	for _, old := range s.streams {
		if old.cluster != w.cluster || old.label == "" {
			continue
		}
		ready = ready && old.handle.State().Synced
		part(minus(w.values, minus(w.values, old.values)))
		rest = minus(rest, old.values)
	}
	if len(parts) == 0 || ready && len(rest) == 0 {
		return []*streamSpec{w}
	}
	part(rest)
	return parts
}

// holders returns the shards of a cluster that have some of the values of a label.
func (l *layout) holders(cluster string, values []string) (ids []string) {
	for _, id := range l.ids() {
		if sc := l.scopes[id]; sc.Cluster == cluster && len(minus(sc.values, values)) < len(sc.values) {
			ids = append(ids, id)
		}
	}
	return ids
}

// minus returns the values that are not among others.
func minus(values, others []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return slices.Contains(others, v) })
}

// lookAfter wakes upkeep when shards have synced.
func (s *TypedShardingInformer[T]) lookAfter(synced []<-chan struct{}) {
	for _, done := range synced {
		select {
		case <-done:
		case <-s.running.Done():
			return
		}
	}
	s.look()
}
