package shard

// joinLater has a stream of label values that was begun beside others joined with them when it has been listed.
func (s *TypedShardingInformer[T]) joinLater(start []*want) {
	for _, w := range start {
		if w.cover.family != familyLabel {
			continue
		}
		var synced []<-chan struct{}
		for _, id := range w.partitions {
			synced = append(synced, s.machine.PartitionSynced(id))
		}
		s.work.Go(func() { s.lookAfter(synced) })
	}
}

// grow leaves streams of label values as they are when values are added, and has others beside them for these, until they have
// been listed: then one takes the place of all.
func (s *TypedShardingInformer[T]) grow(wants []*want, next *layout) []*want {
	var out []*want
	for _, w := range wants {
		if w.cover.family != familyLabel {
			out = append(out, w)
			continue
		}
		out = append(out, s.growLabels(w, next)...)
	}
	return out
}

func (s *TypedShardingInformer[T]) growLabels(w *want, next *layout) []*want {
	rest, ready := w.cover.values, true
	var parts []*want
	part := func(values []string) {
		if len(values) == 0 {
			return
		}
		p := *w
		p.setValues(values)
		p.partitions = next.holders(w.cluster, values)
		parts = append(parts, &p)
	}
	for _, old := range s.streams {
		if old.cluster != w.cluster || old.cover.family != familyLabel {
			continue
		}
		ready = ready && old.handle.State().Synced
		part(minus(w.cover.values, minus(w.cover.values, old.cover.values)))
		rest = minus(rest, old.cover.values)
	}
	if len(parts) == 0 || ready && len(rest) == 0 {
		return []*want{w}
	}
	part(rest)
	return parts
}

// holders are the shards of a cluster that have some of the values of a label.
func (l *layout) holders(cluster string, values []string) (ids []string) {
	for _, id := range l.ids() {
		if sc := l.scopes[id]; sc.Cluster == cluster && len(minus(sc.values, values)) < len(sc.values) {
			ids = append(ids, id)
		}
	}
	return ids
}

// lookAfter has upkeep look when shards have synced.
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
