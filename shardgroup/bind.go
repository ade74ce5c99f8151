package shardgroup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/shard"
)

// ShardID returns the ID of a shard in the informers of a group.
func ShardID(i int) string { return fmt.Sprintf("%04d", i) }

// ShardOfName returns the shard of an object. It returns false if that does not follow from namespace and name, as with
// shard.ByUID.
func (g *Group) ShardOfName(namespace, name string) (int, bool) {
	hash, ok := g.config.Key.HashOfName(namespace, name)
	if !ok {
		return 0, false
	}
	return sort.Search(len(g.ranges)-1, func(i int) bool { return hash < g.ranges[i].End }), true
}

// BeginKey is Begin for the shard of an object. It implements controller.Ownership, so that a controller reconciles the keys of
// the shards that this member owns: set it as Config.Owner, and add the Source that [Bind] returns.
func (g *Group) BeginKey(ctx context.Context, key cache.ObjectName) (context.Context, func(), error) {
	i, ok := g.ShardOfName(key.Namespace, key.Name)
	if !ok {
		return nil, nil, errNotByName(g.config.Key)
	}
	return g.Begin(ctx, i)
}

func errNotByName(key shard.HashKey) error {
	return fmt.Errorf("shardgroup: Config.Key is %s: the shard of an object that was deleted does not follow from its key; use shard.ByNamespace or shard.ByName", key)
}

// Source returns the shards that this member owns, or is to get, for shard.Config.Source; Config.Partial must be set.
func (g *Group) Source() shard.Source { return source{g} }

type source struct{ g *Group }

// runningSource is a Source of an informer that runs.
type runningSource struct {
	// has are the shards that were last passed to the informer, with local.fills of that moment: a shard that the group has given up and
	// wants again may still be in the informer, which is about to drop it.
	has map[int]int64
}

// Run implements shard.Source.
func (s source) Run(ctx context.Context, emit func([]shard.Shard) error) error {
	self := &runningSource{}
	s.g.setSource(self, true)
	defer s.g.setSource(self, false)
	for first := true; ; first = false {
		changed := s.g.Changed()
		wanted := s.g.wanted()
		if first || !maps.EqualFunc(wanted, self.has, func(int64, int64) bool { return true }) {
			var shards []shard.Shard
			for _, i := range slices.Sorted(maps.Keys(wanted)) {
				shards = append(shards, shard.Shard{ID: ShardID(i), Scope: shard.Scope{Hash: s.g.config.Key, Ranges: s.g.ranges[i : i+1]}})
			}
			if err := emit(shards); err != nil {
				return err
			}
		}
		s.g.setHas(self, wanted)
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

func (g *Group) setSource(s *runningSource, runs bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if delete(g.sources, s); runs {
		g.sources[s] = true
	}
}

func (g *Group) setHas(s *runningSource, has map[int]int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s.has = has
}

// informersKnow reports whether the informers that run were told of a shard since the group wants it.
func (g *Group) informersKnow(i int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for s := range g.sources {
		if s.has[i] != g.shards[i].fills {
			return false
		}
	}
	return true
}

// wanted returns the shards whose objects this member needs, with local.fills.
func (g *Group) wanted() map[int]int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	wanted := map[int]int64{}
	for i := range g.shards {
		if l := &g.shards[i]; l.epoch != 0 || l.prepared || l.stop != nil {
			wanted[i] = l.fills
		}
	}
	return wanted
}

// epochs returns the epochs of the shards in which this member may begin work.
func (g *Group) epochs() map[int]int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	epochs := map[int]int64{}
	for i := range g.shards {
		if l := &g.shards[i]; l.epoch != 0 && !l.draining {
			epochs[i] = l.epoch
		}
	}
	return epochs
}

// Bind makes the group wait for an informer with the Source of the group: no work begins in a shard before the informer has its
// objects. It returns a source that enqueues all keys of a shard when this member may work in it. Bind must be called
// before Run, once for each informer.
func Bind[T cache.Object](g *Group, informer *shard.TypedShardingInformer[T]) (controller.Source[cache.ObjectName], error) {
	if _, ok := g.ShardOfName("", ""); !ok {
		return nil, errNotByName(g.config.Key)
	}
	synced := func(ctx context.Context, i int) error {
		for {
			// There is none before the informer knows the shard.
			if c := informer.View(ShardID(i)).Synced(); c != nil && g.informersKnow(i) {
				select {
				case <-c:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			if !g.sleep(ctx, 10*time.Millisecond) {
				return ctx.Err()
			}
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ran {
		return nil, errors.New("shardgroup: Bind was called after Run")
	}
	g.waits = append(g.waits, synced)
	if g.bound == nil {
		g.bound = map[string][]bound{}
	}
	resource := informer.Resource().GroupResource().String()
	g.bound[resource] = append(g.bound[resource], bound{
		version: func(i int) string { return informer.View(ShardID(i)).Version() },
		objects: func(i int) int { return informer.View(ShardID(i)).Len() },
	})
	return &keys[T]{g, informer}, nil
}

// keys enqueues the keys of shards.
type keys[T cache.Object] struct {
	g        *Group
	informer *shard.TypedShardingInformer[T]
}

// String implements controller.Source.
func (k *keys[T]) String() string { return "shards of group " + k.g.config.Name }

// Run implements controller.Source.
func (k *keys[T]) Run(ctx context.Context, enqueuer controller.Enqueuer[cache.ObjectName], ready func()) error {
	ready()
	known := map[int]int64{}
	for {
		changed := k.g.Changed()
		epochs := k.g.epochs()
		for i, epoch := range epochs {
			if known[i] == epoch {
				continue
			}
			for _, key := range k.informer.View(ShardID(i)).ListKeys() {
				if name, err := cache.ParseObjectName(key); err == nil {
					enqueuer.Add(name, controller.Initial)
				}
			}
		}
		known = epochs
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}
