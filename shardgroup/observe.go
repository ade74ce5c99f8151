package shardgroup

import (
	"context"
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/shardgroup/internal/protocol"
)

// observe returns the members as they are seen now.
func (c *coordinator) observe(ctx context.Context, r *revision, leases []*coordinationv1.Lease) map[protocol.Member]protocol.View {
	now := c.g.clock.Now()
	out, seen := map[protocol.Member]protocol.View{}, map[protocol.Member]sighting{}
	see := func(name protocol.Member, version string) sighting {
		s, ok := c.seen[name]
		if !ok || s.version != version {
			s = sighting{version: version, at: now}
		}
		return s
	}
	for _, lease := range leases {
		name := protocol.Member(lease.Name)
		s := see(name, lease.ResourceVersion)
		if s.view == nil {
			s.view = readView(lease)
		}
		seen[name] = s
		view, age := *s.view, now.AtLeast(s.at)
		switch {
		case view.State == protocol.Fenced, view.State == protocol.Left:
			view.Status = protocol.Dead
		case age >= c.g.config.LeaseDuration && name != c.g.name:
			view.Status = protocol.Silent
		}
		out[name] = view
	}
	// gone looks at a member whose lease the watch does not have. The watch may be late: the time counts from when the server has said that
	// there is no lease. It is never created again.
	gone := func(name protocol.Member) protocol.View {
		view := protocol.View{Status: protocol.Gone, Report: protocol.Report{Map: protocol.UnknownMap}}
		if s, ok := c.seen[name]; !ok || s.version != "" {
			gone, err := c.isGone(ctx, name)
			if c.late = c.late || err == nil && !gone; !gone {
				return view
			}
		}
		seen[name] = see(name, "")
		if now.AtLeast(seen[name].at) >= c.g.config.LeaseDuration {
			view = protocol.View{Status: protocol.Dead}
		}
		return view
	}
	named := slices.Clone(r.Coordinators)
	for _, s := range r.Shards {
		named = append(named, s.Owner, s.Target)
	}
	for _, name := range named {
		if _, ok := out[name]; !ok && name != "" {
			out[name] = gone(name)
		}
	}
	// A lease that was deleted may have been that of a member that still works by an earlier map.
	for name := range c.seen {
		if _, ok := out[name]; ok {
			continue
		}
		view := gone(name)
		if view.Status == protocol.Dead {
			delete(seen, name)
			continue
		}
		out[name] = view
		if _, ok := seen[name]; !ok {
			seen[name] = c.seen[name] // the server is asked again
		}
	}
	c.seen = seen
	return out
}

// readView returns the view of a member that has just renewed its lease.
func readView(lease *coordinationv1.Lease) *protocol.View {
	report, err := protocol.ParseReport(lease.Annotations[protocol.Annotation])
	if err != nil {
		report = protocol.Report{Map: protocol.UnknownMap}
	}
	return &protocol.View{Report: report, Status: protocol.Live}
}

// isOutdated reports whether the map cannot be the newest.
func (c *coordinator) isOutdated(r *revision, members map[protocol.Member]protocol.View) bool {
	err := (&protocol.Observation{Map: r.Map, Members: members}).Outdated()
	if err != nil && c.outdated == nil {
		c.outdatedSince = c.g.clock.Now()
	}
	c.outdated = err
	return err != nil
}

// isGone reports whether the server says that a member has no lease.
func (c *coordinator) isGone(ctx context.Context, name protocol.Member) (bool, error) {
	ctx, cancel := c.g.request(ctx)
	defer cancel()
	_, err := c.g.leases.Get(ctx, string(name), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, err
}
