package shard

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/internal/engine"
	"vedette.dev/internal/listwatch"
	"vedette.dev/rest"
	"vedette.dev/shard/internal/cover"
)

// arrange adapts the streams to what is known about the servers.
func (s *TypedShardingInformer[T]) arrange() error {
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.move(s.layout)
}

// move switches to a layout. If it returns an error, nothing has changed.
func (s *TypedShardingInformer[T]) move(next *layout) error {
	if s.ended {
		return errEnded
	}
	t, err := newTransition(s.layout, next)
	if err != nil {
		return fmt.Errorf("shard: %w", err)
	}
	if s.running != nil {
		specs := s.grow(next.streams(s.selecting(next)), next)
		t.arrange(s.streams, slices.DeleteFunc(specs, func(w *streamSpec) bool { return s.isAsking(w) }))
	}
	s.noteHashKeys(next)
	change, err := s.change(t, next)
	if err != nil {
		return err
	}
	begun := make([]*stream, len(t.start))
	for i, w := range t.start {
		begun[i] = &stream{streamSpec: w}
	}
	change.Resume = func(versions []string, full []string) [][]engine.ResumePoint {
		known := t.known(versions)
		incomplete := s.layout.objectsOf(full)
		points := make([][]engine.ResumePoint, len(begun))
		for i, b := range begun {
			b.resumed = b.resume(known, incomplete)
			points[i] = s.resumePoints(b.resumed)
		}
		return points
	}
	s.scopes.Store(nil) // until the streams are complete again
	defer s.publish()
	handles, err := s.engine.Change(change)
	if err != nil {
		return err
	}
	if next != s.layout {
		s.mu.Lock()
		s.moves++
		s.mu.Unlock()
	}
	s.layout = next
	for old, w := range t.keep {
		old.streamSpec = w
	}
	for i := range begun {
		begun[i].handle = handles[i]
	}
	s.streams = slices.Concat(slices.Collect(maps.Keys(t.keep)), begun)
	s.joinLater(t.start)
	return nil
}

// known returns what is known about the objects of the streams that stop, which have reached some versions.
func (t *transition) known(versions []string) (out []progress) {
	for i, old := range t.stop {
		version, _ := strconv.ParseUint(versions[i], 10, 64) // one that is not a number cannot be resumed from
		out = append(out, old.reached(version)...)
	}
	return out
}

// objectsOf returns the objects of some shards.
func (l *layout) objectsOf(ids []string) cover.Cover {
	covers := make([]cover.Cover, 0, len(ids))
	for _, id := range ids {
		covers = append(covers, l.scopes[id].cover)
	}
	return cover.Union(covers...)
}

func (s *TypedShardingInformer[T]) resumePoints(from []progress) []engine.ResumePoint {
	points := make([]engine.ResumePoint, len(from))
	for i, p := range from {
		points[i] = engine.ResumePoint{Version: strconv.FormatUint(p.version, 10), Covers: ofEngine(cover.Test(p.objects, s.reader().read))}
	}
	return points
}

// reader returns the reader of the values that covers of streams use.
func (s *TypedShardingInformer[T]) reader() reader {
	return reader{hashes: s.hashKeys, tenantOf: s.config.Tenant.Of}
}

// noteHashKeys adds the keys of a layout to those that readers know. It is called under changing.
func (s *TypedShardingInformer[T]) noteHashKeys(l *layout) {
	for _, sc := range l.scopes {
		if _, known := s.hashKeys[sc.Hash.name]; !known && sc.Hash.of != nil {
			s.hashKeys[sc.Hash.name] = sc.Hash
		}
	}
}

// change returns the change of the informer for a transition.
func (s *TypedShardingInformer[T]) change(t *transition, next *layout) (engine.PartitionChange, error) {
	change := engine.PartitionChange{
		Remove: t.remove, Retire: t.retire, Successors: t.successors,
		Feed: map[*engine.Stream][]string{},
	}
	if next != s.layout {
		change.Router = func(prefix string, e *engine.Envelope) string { return next.route(prefix, (*Envelope)(e)) }
	}
	for _, id := range t.add {
		change.Add = append(change.Add, next.shards[id].partition())
	}
	for _, id := range t.limit {
		change.Limit = append(change.Limit, next.shards[id].partition())
	}
	for id, was := range s.layout.scopes {
		if is := next.scopes[id]; is == nil || slices.Contains(t.limit, id) || !is.cover.Equal(was.cover) {
			change.Rescoped = append(change.Rescoped, id)
		}
	}
	for _, old := range t.stop {
		change.Stop = append(change.Stop, old.handle)
	}
	for old, w := range t.keep {
		change.Feed[old.handle] = w.shards
	}
	for _, w := range t.start {
		config, err := s.streamConfig(next, w)
		if err != nil {
			return engine.PartitionChange{}, fmt.Errorf("shard: %w", err)
		}
		change.Start = append(change.Start, config)
	}
	return change, nil
}

func (s *Shard) partition() engine.PartitionConfig {
	return engine.PartitionConfig{
		ID: s.ID, MaxObjects: s.Limits.Objects, MaxBytes: s.Limits.Bytes, MaxEventRate: s.Limits.EventsPerSecond,
	}
}

// streamConfig returns the configuration of a stream.
func (s *TypedShardingInformer[T]) streamConfig(l *layout, w *streamSpec) (engine.StreamConfig, error) {
	r, err := s.requester(l, w.cluster, w.namespace)
	if err != nil {
		return engine.StreamConfig{}, err
	}
	tweak := func(options *metav1.ListOptions) {
		options.LabelSelector, options.FieldSelector, options.ShardSelector = w.labels, w.fields, w.hashes
		if s.config.Tweak != nil {
			s.config.Tweak(options)
		}
	}
	config := engine.StreamConfig{
		Name:       w.String(),
		Source:     source(r, s.newObject(), tweak),
		Prefix:     prefixOf(w.cluster),
		Partitions: w.shards,
		Fixed:      w.fixed,
		Covers:     ofEngine(w.brings(s.reader())),
		Shared:     w.shared,
		Settled:    w.settled,
		Leaves:     w.leaves,
		Trusted:    w.hashes == "", // a server that does not select by hash ignores the selector
	}
	if w.leaves {
		config.Exists = exists(r)
	}
	if w.hashes != "" {
		config.OnUnexpected = func() { s.ignored(w.cluster) }
	}
	return config, nil
}

// source returns the source of a stream. tweak modifies the options of each request.
func source(r cache.Requester, newObject func() metav1.Object, tweak func(*metav1.ListOptions)) listwatch.Source {
	lw := cache.NewListWatchFromRequester(r, newObject, tweak)
	out := listwatch.Source{
		List:         lw.ListWithContext,
		Watch:        lw.WatchWithContext,
		ContextAware: true,
		ListRequest: func(options metav1.ListOptions) *rest.Request {
			tweak(&options)
			return r.ListRequest(options)
		},
		WatchRequest: func(options metav1.ListOptions) *rest.Request {
			tweak(&options)
			return r.WatchRequest(options)
		},
	}
	if newObject != nil {
		out.NewObject = func() any { return newObject() }
	}
	return out
}

// newObject returns a function that creates objects to decode into.
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

var errEnded = errors.New("shard: informer has stopped")
