package shardgroup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/fence"
	"vedette.dev/internal/clock"
	"vedette.dev/shardgroup/internal/protocol"
)

// follow does what the map, the end of work and the clock ask of this member: it begins to own shards, drains them, and reports
// what was released.
func (g *Group) follow() {
	if g.term.Err() != nil {
		return
	}
	now := g.clock.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		return
	}
	changed, urgent := false, false
	accepts := g.current != nil && g.current.ID == g.accepted && !g.quitting
	for i := range g.shards {
		l := &g.shards[i]
		var entry protocol.Shard
		if accepts {
			entry = g.current.Shards[i]
		}
		changed = g.prepare(i, l, entry) || changed
		mine := entry.Owner == g.name && (entry.Phase == protocol.Owned || entry.Phase == protocol.Preparing)
		switch {
		case l.epoch == 0 && mine && entry.Epoch > l.released && l.prepared && g.hasCaughtUp(i, l, entry):
			l.epoch, l.draining = entry.Epoch, false
			g.grants++
			l.wrote = protocol.ParseVersions(entry.Wrote)
			l.term = g.newShardTerm(i, entry.Epoch)
			g.logger.Info("Shard granted", "shard", i, "epoch", entry.Epoch)
			changed = true
		case l.epoch != 0 && !l.draining && (!mine || entry.Epoch != l.epoch):
			l.draining, l.drainSince = true, now
			changed = true
		}
		if l.epoch != 0 && entry.Epoch > l.epoch && entry.Owner != g.name {
			// Only a coordinator that has fenced this member does so.
			l.term.End(ErrMoved)
		}
		if l.draining && l.inFlight == 0 {
			l.term.End(ErrMoved)
			g.logger.Info("Shard released", "shard", i, "epoch", l.epoch)
			l.released, l.epoch, l.draining, l.term = l.epoch, 0, false, nil
			changed = true
		}
		if l.draining {
			switch since := now.AtMost(l.drainSince); {
			case since >= 2*g.config.DrainTimeout:
				g.term.End(fmt.Errorf("%s: %w", shardName(i), ErrDrainTimeout))
			case since >= g.config.DrainTimeout:
				l.term.End(fmt.Errorf("%w: %w", ErrMoved, ErrDrainTimeout))
			}
		}
		urgent = g.reportOn(i, l, entry) || urgent
	}
	if g.accept() {
		urgent, changed = true, true
	}
	if urgent {
		select {
		case g.renewSoon <- struct{}{}:
		default:
		}
	}
	if changed {
		g.markUnowned(now)
		g.tell()
	}
}

// maxWrote is for how many shards a report says what was written: some 75 bytes each, of the 256 KiB that all annotations may take. The new
// owners of the others begin as after a crash.
const maxWrote = 1024

// reportOn keeps what the report says of a shard up to date, and reports whether it is urgent. The caller holds mu.
func (g *Group) reportOn(i int, l *local, entry protocol.Shard) (urgent bool) {
	if entry.Owner == g.name && entry.Phase == protocol.Draining && l.epoch == 0 {
		if l.released < entry.Epoch {
			l.released = entry.Epoch // it was never begun, and never will be
			l.wrote = protocol.ParseVersions(entry.Wrote)
		}
		if g.report.Released[i] != entry.Epoch {
			set(&g.report.Released, i, entry.Epoch)
			if len(l.wrote) > 0 && len(g.report.Wrote) < maxWrote {
				set(&g.report.Wrote, i, protocol.FormatVersions(l.wrote))
			}
			urgent = true
		}
	} else {
		delete(g.report.Released, i)
		delete(g.report.Wrote, i)
	}
	if entry.Target != g.name || entry.Phase != protocol.Preparing {
		delete(g.report.Ready, i)
	}
	return urgent
}

func set[V any](m *map[int]V, i int, value V) {
	if *m == nil {
		*m = map[int]V{}
	}
	(*m)[i] = value
}

// prepare fills the caches for a shard that this member owns or is to get, and stops if it does not. It reports whether the
// shards whose objects are needed have changed. The caller holds mu.
func (g *Group) prepare(i int, l *local, entry protocol.Shard) (changed bool) {
	wanted := entry.Owner == g.name || entry.Target == g.name // also while the owner drains it
	switch {
	case !wanted:
		changed = l.prepared || l.stop != nil
		if l.stop != nil {
			l.stop()
		}
		l.stop, l.prepared = nil, false
	case l.prepared || l.stop != nil:
	case len(g.waits) == 0:
		l.prepared, changed = true, true
	default:
		ctx, cancel := context.WithCancel(context.Background())
		l.stop, changed = cancel, true
		l.fills++
		g.work.Go(func() { g.fill(ctx, i, l) })
	}
	if l.prepared && entry.Target == g.name && entry.Phase == protocol.Preparing {
		set(&g.report.Ready, i, entry.Epoch)
	}
	return changed
}

// fill calls Prepare until it succeeds.
func (g *Group) fill(ctx context.Context, i int, l *local) {
	for {
		err := g.wait(ctx, i)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			break
		}
		g.logger.Warn("Failed to prepare a shard", "shard", i, "err", err)
		if !g.sleep(ctx, g.config.RetryPeriod) {
			return
		}
	}
	g.mu.Lock()
	if ctx.Err() == nil {
		l.prepared = true
		l.stop()
		l.stop = nil
	}
	g.mu.Unlock()
	g.follow()
}

func (g *Group) wait(ctx context.Context, i int) error {
	for _, wait := range g.waits {
		if err := wait(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// accept takes on a map with another ID when nothing of the previous one is left, and reports whether it did. It counts from
// the next renewal on. The caller holds mu.
func (g *Group) accept() bool {
	if g.current == nil || g.report.Map == g.current.ID || g.quitting {
		return false
	}
	for i := range g.shards {
		if g.shards[i].epoch != 0 {
			return false
		}
	}
	for i := range g.shards {
		g.shards[i].released = 0
	}
	g.report.Map, g.report.Released, g.report.Wrote, g.report.Ready = g.current.ID, nil, nil, nil
	g.report.Seq = g.current.Seq
	if g.report.State == protocol.Joining {
		g.report.State = protocol.Active
	}
	return true
}

// newShardTerm returns the term of a shard, which lasts as long as the membership, and until it is ended.
func (g *Group) newShardTerm(i int, epoch int64) *fence.Term {
	return fence.NewTerm(fmt.Sprintf("%s, epoch %d", shardName(i), epoch), g.term.Err)
}

// endAll ends the work in all shards, and calls of Prepare. None begins any more.
func (g *Group) endAll(why error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	for i := range g.shards {
		l := &g.shards[i]
		if l.term != nil {
			l.term.End(why)
		}
		if l.stop != nil {
			l.stop()
		}
	}
	g.tell()
}

// see takes a map from the server. A map that is not valid changes nothing, until it is repaired or deleted.
func (g *Group) see(r *revision, err error) {
	now := g.clock.Now()
	g.mu.Lock()
	if err == nil && r != nil && (older(r.version, g.newest) || g.current != nil && g.current.version == r.version) {
		g.mu.Unlock() // known already, or of a server that is behind
		return
	}
	if err == nil && r != nil {
		err = g.refusal(r)
	}
	if err != nil {
		if g.mapErr == nil || g.mapErr.Error() != err.Error() {
			g.logger.Error("The map of the group is not valid", "err", err)
			g.tell()
		}
		g.mapErr = err
		g.mu.Unlock()
		if errors.Is(err, ErrMismatch) {
			g.term.End(err)
		}
		return
	}
	g.noteMoves(r, now)
	g.current, g.mapErr = r, nil
	if r != nil {
		if g.lastMap != r.ID {
			g.earlierMaps[g.lastMap] = true
		}
		g.newest, g.lastMap = r.version, r.ID
		g.report.Epoch = max(g.report.Epoch, r.MaxEpoch())
		if g.report.Map == r.ID {
			g.report.Seq = r.Seq
		}
	}
	g.markUnowned(now)
	g.mu.Unlock()
	g.follow()
}

// refusal returns why a map cannot be the one of the group, or nil. The caller holds mu.
func (g *Group) refusal(r *revision) error {
	switch {
	case len(r.Shards) != g.config.Shards || r.Key != g.config.Key.String():
		return fmt.Errorf("%w: it has %d shards by %s, and this member wants %d by %s",
			ErrMismatch, len(r.Shards), r.Key, g.config.Shards, g.config.Key)
	case g.earlierMaps[r.ID]:
		return fmt.Errorf("%w: it is one that was replaced", protocol.ErrEdited)
	case g.current != nil && g.current.ID == r.ID:
		return r.Follows(g.current.Map)
	case !r.Unproven && r.MaxEpoch() < g.report.Epoch:
		return fmt.Errorf("%w: it has epoch %d, and there was %d before", protocol.ErrEdited, r.MaxEpoch(), g.report.Epoch)
	}
	return nil
}

// seeNone is see for a map that is gone, if it still is. What the informer has is looked at under mu, since see may be about to be called.
func (g *Group) seeNone(w *mapWatch) {
	now := g.clock.Now()
	g.mu.Lock()
	if cm, known := w.get(); g.current == nil || !known || cm != nil {
		g.mu.Unlock()
		return
	}
	g.current, g.mapErr = nil, nil
	g.markUnowned(now)
	g.mu.Unlock()
	g.follow()
}

// revisionOf returns the map in a ConfigMap. It must not be changed.
func (g *Group) revisionOf(cm *corev1.ConfigMap) (*revision, error) {
	g.mu.Lock()
	r := g.current
	g.mu.Unlock()
	if r != nil && r.version == cm.ResourceVersion {
		return r, nil
	}
	return readMap(cm)
}

// refuses reports whether a map cannot be the one of the group.
func (g *Group) refuses(r *revision) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return r != nil && g.refusal(r) != nil
}

// markUnowned keeps since when shards have no owner, or have this member as the owner, which has not begun. Without a map they have none.
// The caller holds mu.
func (g *Group) markUnowned(now clock.Reading) {
	unowned := map[int]clock.Reading{}
	for i := range g.shards {
		if g.current != nil {
			owner := g.current.Shards[i].Owner
			if owner != "" && (owner != g.name || g.shards[i].epoch != 0) {
				continue
			}
		}
		since, known := g.unowned[i]
		if !known {
			since = now
		}
		unowned[i] = since
	}
	g.unowned = unowned
}

// busy returns the shards with work that has not ended.
func (g *Group) busy() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var names []string
	for i := range g.shards {
		if g.shards[i].inFlight > 0 {
			names = append(names, shardName(i))
		}
	}
	return strings.Join(names, ", ")
}
