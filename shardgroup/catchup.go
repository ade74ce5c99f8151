package shardgroup

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/internal/written"
	"vedette.dev/shardgroup/internal/protocol"
)

// bound is an informer of Bind.
type bound struct {
	// version returns the version up to which the informer has every change of the objects of a shard.
	version func(shard int) string
	// objects returns the number of objects of a shard.
	objects func(shard int) int
}

// catchUpTimeout is how long a shard waits for what its former owners have written. An informer whose selector leaves out what they wrote
// may not get that version for a minute.
const catchUpTimeout = 5 * time.Second

// wrote records what the work in a shard has written, if an informer of Bind can have it.
func (g *Group) wrote(i int, w written.Write) {
	if in, ok := g.ShardOfName(w.Namespace, w.Name); !ok || in != i {
		return // another shard, whose owner may be another member
	}
	resource := schema.GroupResource{Group: w.Group, Resource: w.Resource}.String()
	g.mu.Lock()
	defer g.mu.Unlock()
	l := &g.shards[i]
	if g.bound[resource] == nil || l.epoch == 0 {
		return
	}
	if last := l.wrote[resource]; last == "" || older(last, w.Version) {
		l.wrote[resource] = w.Version
	}
}

// hasCaughtUp reports whether the informers of Bind have what former owners of a shard have written. If not, follow is called when
// they have. The caller holds mu.
func (g *Group) hasCaughtUp(i int, l *local, entry protocol.Shard) bool {
	versions := protocol.ParseVersions(entry.Wrote)
	if len(versions) == 0 || len(g.bound) == 0 || l.caughtUp == entry.Epoch {
		return true
	}
	if l.awaited != entry.Epoch {
		l.awaited = entry.Epoch
		g.work.Go(func() { g.catchUp(i, entry.Epoch, versions) })
	}
	return false
}

// catchUp waits until the informers of Bind have the versions.
func (g *Group) catchUp(i int, epoch int64, versions map[string]string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer g.term.AfterEnd(cancel)()
	began := g.clock.Now()
	for !g.has(i, versions) {
		if g.clock.Now().AtMost(began) >= catchUpTimeout {
			g.logger.Warn("Informer lacks what the former owner wrote, work begins without it", "shard", i, "versions", protocol.FormatVersions(versions))
			break
		}
		if !g.sleep(ctx, 5*time.Millisecond) {
			return
		}
	}
	g.mu.Lock()
	l := &g.shards[i]
	l.caughtUp = max(l.caughtUp, epoch)
	g.mu.Unlock()
	g.follow()
}

// has reports whether the informers of Bind have the versions of a shard.
func (g *Group) has(i int, versions map[string]string) bool {
	for resource, version := range versions {
		for _, b := range g.bound[resource] {
			if has := b.version(i); has == "" || older(has, version) {
				return false
			}
		}
	}
	return true
}

// measure returns the load of each shard that this member owns, to two digits, so that it does not change all the time.
func (g *Group) measure() map[int]float64 {
	load := g.config.Load
	if load == nil {
		if len(g.bound) == 0 {
			return nil
		}
		load = g.objects
	}
	loads := map[int]float64{}
	for i := range g.epochs() {
		loads[i] = protocol.Round(load(i))
	}
	return loads
}

// objects returns the number of objects of a shard, and one more for the shard itself.
func (g *Group) objects(i int) float64 {
	n := 1
	for _, informers := range g.bound {
		for _, b := range informers {
			n += b.objects(i)
		}
	}
	return float64(n)
}
