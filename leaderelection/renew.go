package leaderelection

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	rl "vedette.dev/leaderelection/resourcelock"
)

// renewals renews the lease until ctx ends, at the latest with the term.
func (le *LeaderElector) renewals(ctx context.Context, t *term, reports *reporter) {
	for le.sleep(ctx, le.config.RetryPeriod) {
		err := le.renew(ctx, t)
		reports.changed()
		if err != nil && ctx.Err() == nil {
			le.logger.Warn("Failed to renew the lease", "err", err, "left", t.left())
		}
	}
}

// renew updates the record. If the lock has not changed since the last time, one request is enough.
func (le *LeaderElector) renew(ctx context.Context, t *term) error {
	err := le.renewBy(ctx, t, le.config.Lock.Update)
	if err == nil || ctx.Err() != nil {
		return err
	}
	old, getErr := le.get(ctx)
	switch {
	case apierrors.IsNotFound(getErr) && le.config.Coordinated:
		return errNotCreated
	case apierrors.IsNotFound(getErr):
		// The lock was deleted. While this term lasts no other replica leads, and one that creates the lock waits for
		// LeaseDuration.
		le.claimOf(&t.record).creating()
		return le.renewBy(ctx, t, le.config.Lock.Create)
	case getErr != nil:
		return fmt.Errorf("%w; reading the lock failed as well: %w", err, getErr)
	case le.assignedAgain(old):
		le.claimOf(&t.record).creating()
	case !le.mine(old):
		t.end(fmt.Errorf("%w: %q since %v", errTaken, old.HolderIdentity, old.AcquireTime.Time))
		return t.Err()
	case le.unwanted(old):
		t.end(fmt.Errorf("%w: %q", errPreferred, old.PreferredHolder))
		return t.Err()
	}
	if le.config.Coordinated {
		t.record.Strategy = old.Strategy
	}
	le.metric.SlowpathExercised(le.config.Name)
	return le.renewBy(ctx, t, le.config.Lock.Update)
}

func (le *LeaderElector) renewBy(ctx context.Context, t *term, do func(context.Context, rl.LeaderElectionRecord) error) error {
	if !t.valid() {
		return t.Err()
	}
	sent := le.clock.Now()
	record := t.record
	record.RenewTime = le.newRecord(sent).RenewTime
	if err := le.write(ctx, do, record); err != nil {
		return err
	}
	if !t.renewed(record, sent) {
		return t.Err()
	}
	le.claimOf(&record).created = false
	return nil
}

// errUnproven is the reason for which a lock that we hold is not released: the next replica would take it at once.
var errUnproven = errors.New("the lock was just created, and the previous lock may have been deleted while held")

// release releases the lock, if we hold it and ReleaseOnCancel is set. It retries until limit has passed.
func (le *LeaderElector) release(ctx context.Context, limit time.Duration) {
	if !le.config.ReleaseOnCancel || limit <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(limit, le.config.RenewDeadline))
	defer cancel()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, le.config.RetryPeriod) {
		done, err := le.tryRelease(ctx)
		if errors.Is(err, errUnproven) {
			le.logger.Info("Lock not released", "err", err)
		}
		if done {
			return
		}
		// A conflict is likely: a cancelled renewal may have taken effect all the same.
		le.logger.Debug("Failed to release the lock, retrying", "err", err)
		if !le.sleep(ctx, pause) {
			le.logger.Warn("Failed to release the lock; other replicas wait until the lease expires", "err", err)
			return
		}
	}
}

// tryRelease returns true if there is nothing left to do.
func (le *LeaderElector) tryRelease(ctx context.Context) (bool, error) {
	old, err := le.get(ctx)
	switch {
	case apierrors.IsNotFound(err):
		return true, nil
	case err != nil:
		return false, err
	case !le.mine(old):
		return true, nil
	case le.claimOf(old).created:
		return true, errUnproven
	}
	now := metav1.NewTime(le.newRecord(le.clock.Now()).RenewTime.Time)
	record := rl.LeaderElectionRecord{
		Strategy:             old.Strategy,
		LeaderTransitions:    old.LeaderTransitions,
		LeaseDurationSeconds: 1,
		AcquireTime:          now,
		RenewTime:            now,
	}
	if err := le.write(ctx, le.config.Lock.Update, record); err != nil {
		return false, err
	}
	return true, nil
}
