package shard

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
)

// arrange brings the streams in line with what is known of the servers.
func (s *TypedShardingInformer[T]) arrange() error {
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.move(s.layout)
}

// move goes over to a layout: it stops the streams that are not needed, changes shards, and starts other streams, where it can
// from the version at which others stopped.
func (s *TypedShardingInformer[T]) move(next *layout) error {
	if s.ended {
		return errEnded
	}
	change := cache.PartitionChange{}
	s.changeShards(next, &change)
	var wants []*want
	if s.running != nil {
		wants = s.grow(next.streams(s.selecting(next)), next)
		wants = slices.DeleteFunc(wants, func(w *want) bool { return s.isAsking(w) })
	}
	keep, stop, start := s.compare(wants)
	configs := make([]cache.StreamConfig, len(start))
	for i, w := range start {
		var err error
		if configs[i], err = s.streamConfig(next, w); err != nil {
			return fmt.Errorf("shard: %w", err)
		}
	}
	s.scopes.Store(nil) // until the streams are complete again
	stopped := map[*stream][]cache.ResumePoint{}
	for _, old := range stop {
		stopped[old] = old.handle.Stop()
	}
	for i, w := range start {
		configs[i].Resume = resume(w, stopped)
	}
	change.Start, change.Feed = configs, map[*cache.Stream][]string{}
	for old, w := range keep {
		old.want = w
		change.Feed[old.handle] = w.partitions
	}
	handles, err := s.machine.Change(change)
	if err != nil {
		return err
	}
	if next != s.layout {
		s.mu.Lock()
		s.moves++
		s.mu.Unlock()
	}
	s.layout = next
	s.streams = slices.Collect(maps.Keys(keep))
	for i, w := range start {
		s.streams = append(s.streams, &stream{w, handles[i]})
	}
	s.publish()
	s.joinLater(start)
	return nil
}

// changeShards notes which partitions come, go and change.
func (s *TypedShardingInformer[T]) changeShards(next *layout, change *cache.PartitionChange) {
	if next == s.layout {
		return
	}
	change.Router = next.route
	for _, id := range next.ids() {
		is, was := next.shards[id], s.layout.shards[id]
		switch {
		case was == nil:
			change.Add = append(change.Add, is.partition())
		case is.Limits != was.Limits:
			change.Limit = append(change.Limit, is.partition())
		}
	}
	for _, id := range s.layout.ids() {
		switch {
		case next.shards[id] != nil:
		case next.keeps(s.layout.scopes[id]):
			change.Retire = append(change.Retire, id)
		default:
			change.Remove = append(change.Remove, id)
		}
	}
}

func (s *Shard) partition() cache.PartitionConfig {
	return cache.PartitionConfig{
		ID: s.ID, MaxObjects: s.Limits.Objects, MaxBytes: s.Limits.Bytes, MaxEventRate: s.Limits.EventsPerSecond,
	}
}

// compare divides streams into those that go on, those that end, and those that begin. One that brings everything, and of which
// more is kept than before, has to begin again.
func (s *TypedShardingInformer[T]) compare(wants []*want) (keep map[*stream]*want, stop []*stream, start []*want) {
	keep = map[*stream]*want{}
	kept := map[*want]bool{}
	for _, old := range s.streams {
		i := slices.IndexFunc(wants, func(w *want) bool { return w.ident() == old.ident() && !kept[w] })
		if i >= 0 && wants[i].cover.within([]cover{old.cover}) {
			keep[old] = wants[i]
			kept[wants[i]] = true
			continue
		}
		stop = append(stop, old)
	}
	for _, w := range wants {
		if !kept[w] {
			start = append(start, w)
		}
	}
	return keep, stop, start
}

// resume is where a stream can begin to watch, if all that it covers is known up to some version.
func resume(w *want, stopped map[*stream][]cache.ResumePoint) []cache.ResumePoint {
	var points []cache.ResumePoint
	var known []cover
	for old, reached := range stopped {
		if old.cluster != w.cluster || !old.cover.meets(w.cover) {
			continue
		}
		if len(reached) == 0 {
			return nil
		}
		for _, point := range reached {
			points = append(points, cache.ResumePoint{Version: point.Version, Covers: both(old.test(old.cover), point.Covers)})
		}
		known = append(known, old.cover)
	}
	if !w.cover.within(known) {
		return nil
	}
	return points
}

// both is what two say, of which each may be nil and then says yes.
func both(a, b func(*Envelope) bool) func(*Envelope) bool {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(e *Envelope) bool { return a(e) && b(e) }
}

// streamConfig makes a stream of what is wanted.
func (s *TypedShardingInformer[T]) streamConfig(l *layout, w *want) (cache.StreamConfig, error) {
	r, err := s.requester(l, w.cluster, w.namespace)
	if err != nil {
		return cache.StreamConfig{}, err
	}
	tweak := func(options *metav1.ListOptions) {
		options.LabelSelector, options.FieldSelector, options.ShardSelector = w.labels, w.fields, w.hashes
		if s.config.Tweak != nil {
			s.config.Tweak(options)
		}
	}
	config := cache.StreamConfig{
		Name:       w.String(),
		Source:     cache.NewListWatchFromRequester(r, s.newObject(), tweak),
		Prefix:     prefixOf(w.cluster),
		Partitions: w.partitions,
		Fixed:      w.fixed,
		Covers:     w.test(w.cover),
		Shared:     w.shared,
		Settled:    w.settled,
		Leaves:     w.leaves,
		Trusted:    w.cover.family != familyHash || w.shared,
	}
	if w.shared && w.cover.family == familyHash {
		config.Covers = inNamespace(w.namespace)
	}
	if w.leaves {
		config.Exists = exists(r)
	}
	if w.hashes != "" {
		config.OnStranger = func() { s.ignored(w.cluster) }
	}
	return config, nil
}

// newObject makes what objects are decoded into.
func (s *TypedShardingInformer[T]) newObject() func() metav1.Object {
	example, err := s.config.example()
	if err != nil {
		return nil
	}
	element := reflect.TypeOf(example).Elem()
	if _, ok := example.(metav1.Object); !ok {
		return nil
	}
	return func() metav1.Object { return reflect.New(element).Interface().(metav1.Object) }
}

var errEnded = errors.New("shard: the informer has stopped already")
