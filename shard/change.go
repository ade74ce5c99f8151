package shard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
)

// SetShards says which shards there are from now on, all in one step.
//
//   - A shard that is new is listed, but for what other shards had of it.
//   - Of one that is gone, the objects that no other shard has are forgotten, and handlers are told OnShardLost, and not that
//     they are deleted.
//   - Objects that are in another shard than before are told of to nobody, and not asked for again.
//
// A shard that stays cannot have less than before, unless others have the rest. If SetShards returns an error, nothing has
// changed.
func (s *TypedShardingInformer[T]) SetShards(shards ...Shard) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.setShards(shards)
}

func (s *TypedShardingInformer[T]) setShards(shards []Shard) error {
	next, err := newLayout(shards, &s.config.Tenant, !s.config.Partial)
	if err != nil {
		return fmt.Errorf("shard: %w", err)
	}
	if err := s.follows(next); err != nil {
		return fmt.Errorf("shard: %w", err)
	}
	return s.move(next)
}

// follows tells what keeps a layout from taking the place of the present one.
func (s *TypedShardingInformer[T]) follows(next *layout) error {
	for id, was := range s.layout.scopes {
		is := next.scopes[id]
		switch {
		case is == nil:
		case is.Cluster != was.Cluster:
			return fmt.Errorf("shard %q was in cluster %q and is now in cluster %q; remove it, and add another", id, was.Cluster, is.Cluster)
		case is.family == familyAsked && is.Scope.String() != was.Scope.String():
			return fmt.Errorf("shard %q cannot have another selector (%s, before %s); remove it, and add another", id, is.Scope, was.Scope)
		case !next.keeps(was):
			return fmt.Errorf("shard %q would lose objects that no other shard has (%s, before %s); split it, and remove a part", id, is.Scope, was.Scope)
		}
	}
	for cluster := range next.byCluster() {
		if _, err := s.requester(next, cluster, ""); err != nil {
			return err
		}
	}
	return nil
}

// AddShard adds a shard. Nothing is listed but what is in it.
func (s *TypedShardingInformer[T]) AddShard(shard Shard) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	return s.setShards(append(s.layout.list(), shard))
}

// RemoveShard removes a shard. What it has is forgotten, and handlers are told OnShardLost.
func (s *TypedShardingInformer[T]) RemoveShard(id string) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.layout.shards[id] == nil {
		return fmt.Errorf("shard: there is no shard %q to remove", id)
	}
	next := slices.DeleteFunc(s.layout.list(), func(shard Shard) bool { return shard.ID == id })
	if !s.config.Partial && s.layout.scopes[id].family == familyHash {
		return fmt.Errorf("shard: without shard %q some hashes would be in no shard; merge it with another, or set Config.Partial", id)
	}
	return s.setShards(next)
}

// list is the shards of a layout, sorted by ID.
func (l *layout) list() []Shard {
	out := make([]Shard, 0, len(l.shards))
	for _, id := range l.ids() {
		out = append(out, *l.shards[id])
	}
	return out
}

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
	stopped := map[*stream]string{}
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
	s.joinLater(start)
	return nil
}

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
func resume(w *want, stopped map[*stream]string) []cache.ResumePoint {
	var points []cache.ResumePoint
	var known []cover
	for old, version := range stopped {
		if old.cluster != w.cluster || !old.cover.meets(w.cover) {
			continue
		}
		if version == "" {
			return nil
		}
		points = append(points, cache.ResumePoint{Version: version, Covers: old.test(old.cover)})
		known = append(known, old.cover)
	}
	if !w.cover.within(known) {
		return nil
	}
	return points
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

// ignored notes that a server does not select by hash, though it seemed to: some kinds it does not watch as it lists them.
func (s *TypedShardingInformer[T]) ignored(cluster string) {
	s.mu.Lock()
	s.selects[cluster] = selectNo
	s.mu.Unlock()
	s.info("The server does not select by hash what is watched; one stream is shared instead", "cluster", cluster)
	s.look()
}

// selecting says of which clusters the server selects by hash. Those of which that is not known are asked.
func (s *TypedShardingInformer[T]) selecting(next *layout) func(cluster string) bool {
	return func(cluster string) bool {
		key := next.hashOf(cluster)
		if s.config.NoServerSelection || key.path == "" {
			return false
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		switch s.selects[cluster] {
		case selectYes:
			return true
		case selectUnknown:
			s.selects[cluster] = selectAsking
			s.work.Go(func() { s.ask(s.running, next, cluster, key) })
		}
		return false
	}
}

func (l *layout) hashOf(cluster string) HashKey {
	if r := l.routers[prefixOf(cluster)]; r != nil {
		return r.hash
	}
	return HashKey{}
}

func (s *TypedShardingInformer[T]) ask(ctx context.Context, l *layout, cluster string, key HashKey) {
	is := selectPerhaps
	namespace := l.someNamespace(cluster)
	if r, err := s.requester(l, cluster, namespace); err == nil {
		is = probe(ctx, r, key)
	}
	s.mu.Lock()
	s.selects[cluster] = is
	s.mu.Unlock()
	s.look()
}

// someNamespace is one in which the shards of a cluster look, empty if they look at all.
func (l *layout) someNamespace(cluster string) string {
	for namespace := range l.routers[prefixOf(cluster)].hashed {
		return namespace
	}
	return ""
}

// isAsking tells whether a stream has to wait for what its server says. Where there is a stream already, it goes on as it is.
func (s *TypedShardingInformer[T]) isAsking(w *want) bool {
	if w.cover.family != familyHash || !w.shared {
		return false
	}
	s.mu.Lock()
	asking := s.selects[w.cluster] == selectAsking
	s.mu.Unlock()
	return asking && !slices.ContainsFunc(s.streams, func(old *stream) bool { return old.cluster == w.cluster })
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

var errEnded = errors.New("shard: the informer has stopped already")
