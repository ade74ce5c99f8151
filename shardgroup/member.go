package shardgroup

import (
	"context"
	"errors"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/internal/clock"
	"vedette.dev/shardgroup/internal/protocol"
)

// groupLabel is the label of the leases of a group.
const groupLabel = "vedette.dev/shard-group"

// lease returns the lease with the present report.
func (g *Group) lease(now clock.Reading, version string) (*coordinationv1.Lease, string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	holder, seconds := string(g.name), int32((g.config.LeaseDuration+time.Second-1)/time.Second)
	at := metav1.NewMicroTime(now.Wall.Truncate(time.Microsecond))
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{
			Name: string(g.name), Namespace: g.config.Namespace, ResourceVersion: version,
			Labels:      map[string]string{groupLabel: g.config.Name},
			Annotations: map[string]string{protocol.Annotation: g.report.Text()},
		},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &at},
	}, g.report.Map
}

// request returns the context of a request. One that is not answered must not take the time of all that could follow.
func (g *Group) request(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, max(g.config.RetryPeriod, g.config.RenewDeadline/3))
}

// join creates the lease. It tries until ctx ends.
func (g *Group) join(ctx, inner context.Context) error {
	first := g.clock.Now()
	for {
		sent := g.clock.Now()
		lease, id := g.lease(sent, "")
		one, cancel := g.request(inner)
		_, err := g.leases.Create(one, lease, metav1.CreateOptions{})
		cancel()
		if apierrors.IsAlreadyExists(err) { // the name is ours alone, so it was one of the attempts that were not answered
			sent, err = first, nil
		}
		if err == nil {
			g.renewed(sent, id)
			return nil
		}
		g.failed("Failed to join the group", err)
		if ctx.Err() != nil || !g.sleep(ctx, g.config.RetryPeriod) {
			return fmt.Errorf("the group %s/%s was not joined: %w", g.config.Namespace, g.config.Name, err)
		}
	}
}

// failed records and logs an error, once for each message.
func (g *Group) failed(message string, err error) {
	err = g.withRole(err)
	g.mu.Lock()
	known := g.unhealthy != nil && g.unhealthy.Error() == err.Error()
	g.unhealthy = err
	g.mu.Unlock()
	if !known {
		g.logger.Warn(message, "err", err)
	}
}

// withRole adds the rules that are needed to an error of missing rights.
func (g *Group) withRole(err error) error {
	if !apierrors.IsForbidden(err) {
		return err
	}
	return fmt.Errorf("%w: a role with create, get, list, watch, update and delete of leases, and create, get, list, watch and update of configmaps is needed in namespace %s", err, g.config.Namespace)
}

// watching records why the map or the leases cannot be watched, nil if they can, and logs that once for each message.
func (g *Group) watching(err error) {
	err = g.withRole(err)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil && (g.watchErr == nil || g.watchErr.Error() != err.Error()) {
		g.logger.Warn("Failed to watch the group", "err", err)
	}
	if (err == nil) != (g.watchErr == nil) {
		g.tell()
	}
	g.watchErr = err
}

// renewed records a renewal that was sent at that time and has named a map by its ID.
func (g *Group) renewed(sent clock.Reading, id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.isMember, g.sent, g.accepted, g.unhealthy = true, sent, id, nil
}

// renewals renews the lease until ctx ends.
func (g *Group) renewals(ctx context.Context) {
	version, known := "", ""
	for {
		next, err := g.renew(ctx, version, known)
		switch {
		case err == nil:
			version, known = next, next
			g.follow()
		case ctx.Err() != nil:
			return
		case errors.Is(err, ErrLost):
			g.term.End(err)
			return
		default:
			g.failed("Failed to renew the lease", err)
			if version = ""; !g.sleep(ctx, min(g.config.RetryPeriod, g.config.RenewDeadline/10)) {
				return
			}
			continue
		}
		wait, stop := g.clock.After(g.config.RetryPeriod)
		select {
		case <-wait:
		case <-g.renewSoon:
		case <-ctx.Done():
		}
		stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// renew updates the lease. An empty version is read from the server first, and must not be older than the last that is known.
func (g *Group) renew(ctx context.Context, version, known string) (string, error) {
	ctx, cancel := g.request(ctx)
	defer cancel()
	if version == "" {
		lease, err := g.leases.Get(ctx, string(g.name), metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return "", fmt.Errorf("%w: the lease was deleted", ErrLost)
		}
		if err != nil {
			return "", err
		}
		if report, err := protocol.ParseReport(lease.Annotations[protocol.Annotation]); err != nil || report.State == protocol.Fenced {
			return "", fmt.Errorf("%w: the lease was fenced, because it was not renewed for %v", ErrLost, g.config.LeaseDuration)
		}
		if older(lease.ResourceVersion, known) {
			return "", fmt.Errorf("%w: the lease has version %s and had %s before: the server has an older state", ErrLost, lease.ResourceVersion, known)
		}
		version = lease.ResourceVersion
	}
	loads := g.measure()
	g.mu.Lock()
	g.report.Load = loads
	g.mu.Unlock()
	sent := g.clock.Now()
	if err := g.term.Err(); err != nil {
		return "", fmt.Errorf("%w: %w", ErrLost, err)
	}
	lease, id := g.lease(sent, version)
	updated, err := g.leases.Update(ctx, lease, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return "", fmt.Errorf("%w: the lease was deleted", ErrLost)
	}
	if err != nil {
		return "", err
	}
	if err := g.term.Err(); err != nil {
		return "", fmt.Errorf("%w: %w", ErrLost, err)
	}
	g.renewed(sent, id)
	return updated.ResourceVersion, nil
}

// leave gives the shards away, waits for the work in them, and says so in the lease.
func (g *Group) leave(inner context.Context) error {
	if err := g.term.Err(); err != nil {
		return g.stopped(err)
	}
	g.logger.Info("Leaving the group")
	g.mu.Lock()
	if g.report.State != protocol.Left {
		g.report.State = protocol.Leaving
	}
	g.mu.Unlock()
	g.soon()
	// Others prepare themselves first, and the work here ends.
	began := g.clock.Now()
	for g.owns() && g.clock.Now().AtMost(began) < g.config.PrepareTimeout+2*g.config.DrainTimeout {
		changed := g.Changed()
		wait, stop := g.clock.After(g.config.RetryPeriod)
		select {
		case <-changed:
		case <-wait:
		case <-inner.Done():
		}
		stop()
		if err := g.term.Err(); err != nil {
			return g.stopped(err)
		}
	}
	// What is left has no member to go to.
	g.mu.Lock()
	g.quitting = true
	g.mu.Unlock()
	for g.holds() {
		g.follow()
		if err := g.term.Err(); err != nil {
			return g.stopped(err)
		}
		g.sleep(inner, 10*time.Millisecond)
	}
	g.mu.Lock()
	g.report.State, g.report.Map = protocol.Left, ""
	g.mu.Unlock()
	for {
		_, err := g.renew(inner, "", "")
		if err == nil || errors.Is(err, ErrLost) {
			return nil // nothing runs, and the others find out
		}
		if g.term.Err() != nil || !g.sleep(inner, min(g.config.RetryPeriod, time.Second)) {
			return nil
		}
	}
}

// stopped waits for work that has to end because the membership is over.
func (g *Group) stopped(err error) error {
	g.endAll(err)
	g.logger.Error("The membership is over", "err", err)
	began := g.clock.Now()
	for g.busy() != "" {
		if g.clock.Now().AtMost(began) >= g.config.DrainTimeout {
			return fmt.Errorf("%w; %w: %s", err, ErrDrainTimeout, g.busy())
		}
		g.sleep(context.Background(), 10*time.Millisecond)
	}
	return err
}

// soon makes the next renewal happen at once.
func (g *Group) soon() {
	select {
	case g.renewSoon <- struct{}{}:
	default:
	}
}

// owns reports whether this member has a shard, here or in the map.
func (g *Group) owns() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current != nil && g.mapErr == nil && g.current.ID == g.accepted {
		for _, s := range g.current.Shards {
			if s.Owner == g.name {
				return true
			}
		}
	}
	return false
}

// holds reports whether this member works in a shard.
func (g *Group) holds() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.shards {
		if g.shards[i].epoch != 0 {
			return true
		}
	}
	return false
}
