package shardgroup

import (
	"cmp"
	"context"
	cryptorand "crypto/rand"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"vedette.dev/cache"
	"vedette.dev/internal/clock"
	"vedette.dev/shardgroup/internal/protocol"
)

// older reports whether a resource version is older than another. One that is unknown is not.
func older(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order < 0
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// coordinator changes the map, if this member is the first coordinator, and watches the leases, if it is one of them. The
// others look at the leases from time to time, in case no coordinator is left.
type coordinator struct {
	g    *Group
	maps *mapWatch
	// leases is nil if the leases are not watched.
	leases  cache.SharedIndexInformer
	stop    context.CancelFunc
	watcher sync.WaitGroup
	changed chan struct{}

	seen map[protocol.Member]sighting
	// outdated is why the map cannot be the newest, since outdatedSince, or nil.
	outdated      error
	outdatedSince clock.Reading
	// late says that the server has leases that the watch does not have. refreshed is when it was begun anew because of that.
	late      bool
	refreshed clock.Reading
	// forbidden says that leases cannot be deleted, which was logged.
	forbidden bool
	// conflict is the version of the map that is not the newest, since conflictSince.
	conflict      string
	conflictSince clock.Reading
	begun         clock.Reading // when the watch of the map was begun anew
	// id is that of the map, which was first seen at since.
	id    string
	since clock.Reading
	// active are the members that may be given shards, which have been the same since activeSince.
	active      []protocol.Member
	activeSince clock.Reading
	// level says that shards have been moved for a better balance since then.
	level bool
	// loads are the last loads of shards that members have reported, and large those that are too large for a balance.
	loads     map[int]float64
	large     map[int]bool
	preparing map[int]preparation
}

// sighting is how a lease was when it was last seen to change, or that it is gone.
type sighting struct {
	version string // empty if it is gone
	at      clock.Reading
	// view is what the lease says, nil if it was not read. Of a large group, to read all again at each change would take most of the time.
	view *protocol.View
}

// preparation is since when a shard is prepared, at an epoch.
type preparation struct {
	epoch int64
	since clock.Reading
}

func newCoordinator(g *Group, maps *mapWatch) *coordinator {
	return &coordinator{g: g, maps: maps, changed: make(chan struct{}, 1), seen: map[protocol.Member]sighting{}, preparing: map[int]preparation{}, loads: map[int]float64{}, large: map[int]bool{}}
}

// run works until ctx ends.
func (c *coordinator) run(ctx context.Context) {
	defer c.watch(ctx, false)
	for {
		pause := c.turn(ctx)
		c.g.watching(c.watchError())
		wait, stop := c.g.clock.After(pause)
		select {
		case <-c.changed:
		case <-c.maps.changed:
		case <-wait:
		case <-ctx.Done():
		}
		stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// turn does what can be done now, and returns when to look again if nothing changes.
func (c *coordinator) turn(ctx context.Context) time.Duration {
	g := c.g
	cm, known := c.maps.get()
	if !known {
		return g.config.RetryPeriod / 4
	}
	if cm == nil {
		g.seeNone(c.maps) // an informer that was begun anew does not notify of a deletion
	}
	if cm == nil || cm.Data[mapKey] == "" {
		c.create(ctx, cm)
		return g.config.RetryPeriod
	}
	r, err := g.revisionOf(cm)
	if err != nil || g.refuses(r) {
		return g.config.RetryPeriod // the group has logged it, and it is repaired by hand
	}
	if !slices.Contains(r.Coordinators, g.name) {
		c.watch(ctx, false)
		return c.patrol(ctx, cm, r)
	}
	c.watch(ctx, true)
	if !c.leases.HasSynced() {
		return g.config.RetryPeriod / 4
	}
	var leases []*coordinationv1.Lease
	for _, obj := range c.leases.GetStore().List() {
		leases = append(leases, obj.(*coordinationv1.Lease))
	}
	members := c.observe(ctx, r, leases)
	if c.late {
		c.refresh(ctx)
		return g.config.RetryPeriod / 4
	}
	if c.isOutdated(r, members) {
		c.conflicted(cm.ResourceVersion)
		return g.config.RetryPeriod / 4
	}
	for _, name := range r.Coordinators {
		if name == g.name {
			c.decide(ctx, cm, r, members, leases)
			break
		}
		if members[name].Status == protocol.Live && members[name].State != protocol.Joining {
			break // it decides
		}
	}
	return g.config.RetryPeriod / 4
}

// watchError returns why the map cannot be watched, or the leases if they are, or what is wrong with what they bring; or nil.
func (c *coordinator) watchError() error {
	err := watchError("map", c.maps.current())
	if c.outdated != nil && c.g.clock.Now().AtLeast(c.outdatedSince) >= c.g.config.LeaseDuration {
		err = cmp.Or(err, c.outdated) // and not only because one watch is ahead of the other
	}
	if err == nil && c.leases != nil {
		err = watchError("leases", c.leases)
	}
	return err
}

func watchError(what string, informer cache.SharedIndexInformer) error {
	s := cache.StateOf(informer)
	if s.Cause == nil || s.Err() == nil {
		return nil
	}
	return fmt.Errorf("failed to watch the %s of the group: %w", what, s.Cause)
}

// refresh begins the watch of the leases anew, since the server has others. A coordinator that does not see what members do would hold up
// all others, for as long as it takes until a watch that brings nothing is given up.
func (c *coordinator) refresh(ctx context.Context) {
	c.late = false
	if now := c.g.clock.Now(); now.AtLeast(c.refreshed) >= c.g.config.RetryPeriod {
		c.refreshed = now
		c.watch(ctx, false)
		c.watch(ctx, true)
	}
}

// conflicted is called when the map has another version on the server, as a change that was refused tells, or a member. If the watch does
// not bring that, it is begun anew.
func (c *coordinator) conflicted(version string) {
	now := c.g.clock.Now()
	switch {
	case c.conflict != version:
		c.conflict, c.conflictSince = version, now
	case now.AtLeast(c.conflictSince) >= c.g.config.RetryPeriod && now.AtLeast(c.begun) >= c.g.config.LeaseDuration:
		c.begun = now
		c.maps.begin()
	}
}

// watch begins or ends to watch the leases.
func (c *coordinator) watch(ctx context.Context, on bool) {
	switch {
	case on && c.leases == nil:
		lw := cache.NewListWatchFromRequester(c.g.leases.(cache.Requester), func() metav1.Object { return &coordinationv1.Lease{} }, c.selected)
		c.leases = cache.NewSharedIndexInformer(lw, &coordinationv1.Lease{}, 0, nil)
		tell := func(any) { signal(c.changed) }
		_, _ = c.leases.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: tell, UpdateFunc: func(_, obj any) { tell(obj) }, DeleteFunc: tell})
		var watching context.Context
		watching, c.stop = context.WithCancel(ctx)
		c.watcher.Go(func() { c.leases.RunWithContext(watching) })
	case !on && c.leases != nil:
		c.stop()
		c.watcher.Wait()
		c.leases = nil
	}
}

func (c *coordinator) selected(o *metav1.ListOptions) {
	o.LabelSelector = groupLabel + "=" + c.g.config.Name
}

// create creates the map, also in a ConfigMap that has none. Its epochs are above those of maps that were deleted, by the clock if no
// member remembers.
func (c *coordinator) create(ctx context.Context, cm *corev1.ConfigMap) {
	g := c.g
	now := g.clock.Now()
	g.mu.Lock()
	base := max(g.report.Epoch, now.Wall.Unix())
	g.mu.Unlock()
	m := protocol.New(cryptorand.Text(), g.config.Key.String(), g.config.Shards, base)
	m.Coordinators = []protocol.Member{g.name}
	ctx, cancel := g.request(ctx)
	defer cancel()
	var err error
	if cm == nil {
		cm = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: g.config.Name, Namespace: g.config.Namespace}}
		cm.Data = map[string]string{mapKey: string(m.Bytes())}
		_, err = g.maps.Create(ctx, cm, metav1.CreateOptions{})
	} else {
		err = c.put(ctx, cm, m)
	}
	if err != nil && !apierrors.IsAlreadyExists(err) && !apierrors.IsConflict(err) {
		g.failed("Failed to create the map", err)
	}
}

// put writes a map in place of the one of a ConfigMap, if that has not changed.
func (c *coordinator) put(ctx context.Context, cm *corev1.ConfigMap, m *protocol.Map) error {
	cm = cm.DeepCopy()
	m.Seq++
	if cm.Data == nil {
		cm.Data = map[string]string{}
	}
	cm.Data[mapKey] = string(m.Bytes())
	_, err := c.g.maps.Update(ctx, cm, metav1.UpdateOptions{})
	return err
}

// decide fences who is silent, changes the map, and deletes leases that are over.
func (c *coordinator) decide(ctx context.Context, cm *corev1.ConfigMap, r *revision, members map[protocol.Member]protocol.View, leases []*coordinationv1.Lease) {
	g := c.g
	if g.term.Err() != nil {
		return
	}
	now := g.clock.Now()
	if c.id != r.ID {
		c.id, c.since = r.ID, now
	}
	var active []protocol.Member
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if v := members[name]; v.Status == protocol.Live && v.State == protocol.Active {
			active = append(active, name)
		}
	}
	if !slices.Equal(active, c.active) {
		c.active, c.activeSince, c.level = active, now, false
	}
	loads := c.loadsOf(r, members)
	c.warn(loads)
	o := &protocol.Observation{
		Map: r.Map, Self: g.name, Members: members,
		Settled: now.AtLeast(c.since) >= g.config.LeaseDuration,
		Level:   now.AtLeast(c.activeSince) >= g.config.SettleTime,
		Changed: !c.level,
		Loads:   loads,
		Late:    c.lateShards(r, now),
	}
	limits := protocol.Limits{Prepare: len(g.waits) > 0, Coordinators: coordinators}
	next, silent := protocol.Step(o, limits)
	for _, name := range silent {
		c.fence(ctx, name)
	}
	if c.late {
		c.refresh(ctx)
		return
	}
	c.level = c.level || o.Level && next == nil
	if next != nil {
		one, cancel := g.request(ctx)
		err := c.put(one, cm, next)
		cancel()
		switch {
		case apierrors.IsConflict(err):
			c.conflicted(cm.ResourceVersion)
		case err != nil:
			g.failed("Failed to change the map", err)
		}
	}
	for _, lease := range leases {
		name := protocol.Member(lease.Name)
		if members[name].Status == protocol.Dead && !r.Names(name) && now.AtLeast(c.seen[name].at) >= g.config.LeaseDuration {
			one, cancel := g.request(ctx)
			err := g.leases.Delete(one, lease.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &lease.UID}}) // tried again
			cancel()
			if apierrors.IsForbidden(err) && !c.forbidden {
				c.forbidden = true
				g.logger.Warn("Leases of former members stay", "err", g.withRole(err))
			}
		}
	}
}

// loadsOf returns the loads of the shards, as their owners have last reported them.
func (c *coordinator) loadsOf(r *revision, members map[protocol.Member]protocol.View) []float64 {
	loads := make([]float64, len(r.Shards))
	for i, s := range r.Shards {
		if load, ok := members[s.Owner].Load[i]; ok {
			c.loads[i] = load
		}
		loads[i] = c.loads[i]
	}
	return loads
}

// warn logs shards whose load exceeds what each member would have if all had the same.
func (c *coordinator) warn(loads []float64) {
	if len(c.active) < 2 {
		return
	}
	share := 0.0
	for _, load := range loads {
		share += load / float64(len(c.active))
	}
	for i, load := range loads {
		large := load > share*protocol.Drift
		if large && !c.large[i] {
			c.g.logger.Warn("Shard is larger than the share of a member", "shard", i, "load", load, "share", protocol.Round(share))
		}
		c.large[i] = large
	}
}

// lateShards are shards whose target takes too long to prepare itself.
func (c *coordinator) lateShards(r *revision, now clock.Reading) map[int]bool {
	late := map[int]bool{}
	for i, s := range r.Shards {
		if s.Phase != protocol.Preparing {
			delete(c.preparing, i)
			continue
		}
		if p, ok := c.preparing[i]; !ok || p.epoch != s.Epoch {
			c.preparing[i] = preparation{s.Epoch, now}
		} else if now.AtLeast(p.since) >= c.g.config.PrepareTimeout {
			late[i] = true
		}
	}
	return late
}

// fence makes it impossible for a member to renew its lease, if it has not done so since it was last seen.
func (c *coordinator) fence(ctx context.Context, name protocol.Member) {
	g := c.g
	obj, found, _ := c.leases.GetStore().GetByKey(g.config.Namespace + "/" + string(name))
	if !found {
		return
	}
	lease := obj.(*coordinationv1.Lease).DeepCopy()
	if lease.ResourceVersion != c.seen[name].version {
		return // renewed by now
	}
	fenced := protocol.Report{State: protocol.Fenced}
	if view := c.seen[name].view; view != nil {
		fenced.Epoch = view.Epoch
	}
	if lease.Annotations == nil {
		lease.Annotations = map[string]string{}
	}
	lease.Annotations[protocol.Annotation] = fenced.Text()
	ctx, cancel := g.request(ctx)
	defer cancel()
	_, err := g.leases.Update(ctx, lease, metav1.UpdateOptions{})
	switch {
	case err == nil:
		g.logger.Warn("Member fenced: its lease was not renewed", "fenced", name, "limit", g.config.LeaseDuration)
	case apierrors.IsConflict(err):
		// It was renewed, and the watch has not brought that.
		c.seen[name] = sighting{version: lease.ResourceVersion, at: g.clock.Now()}
		c.late = true
	case !apierrors.IsNotFound(err):
		g.failed("Failed to fence a member", err)
	}
}

// patrol takes over if no coordinator is left, and returns when to look again.
func (c *coordinator) patrol(ctx context.Context, cm *corev1.ConfigMap, r *revision) time.Duration {
	g := c.g
	if state := g.state(); state != protocol.Active && state != protocol.Leaving {
		return g.config.RetryPeriod
	}
	// Not all at the same time.
	pause := g.config.LeaseDuration/4 + rand.N(g.config.LeaseDuration/4)
	one, cancel := g.request(ctx)
	defer cancel()
	now := g.clock.Now()
	left := false
	seen := map[protocol.Member]sighting{}
	for _, name := range r.Coordinators {
		version := ""
		lease, err := g.leases.Get(one, string(name), metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return pause
		default:
			version = lease.ResourceVersion
			if report, err := protocol.ParseReport(lease.Annotations[protocol.Annotation]); err == nil && (report.State == protocol.Left || report.State == protocol.Fenced) {
				continue
			}
		}
		s, ok := c.seen[name]
		if !ok || s.version != version {
			s = sighting{version: version, at: now}
		}
		seen[name] = s
		left = left || now.AtLeast(s.at) < g.config.LeaseDuration
	}
	if c.seen = seen; left {
		return pause
	}
	next := r.Map.Clone()
	next.Coordinators = []protocol.Member{g.name}
	g.logger.Info("Becoming the coordinator: none is left")
	if err := c.put(one, cm, next); err != nil && !apierrors.IsConflict(err) {
		g.failed("Failed to become the coordinator", err)
	}
	return pause
}

func (g *Group) state() protocol.State {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.report.State
}
