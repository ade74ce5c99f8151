package resourcelock

import (
	"bytes"
	"context"
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// UnknownLeader is the holder of a MultiLock whose two locks have different holders.
//
// Deprecated: only MultiLock uses it.
const UnknownLeader = "leaderelection.k8s.io/unknown"

// MultiLock is two locks that are held together, for programs that move from one to another.
//
// Deprecated: use LeaseLock. No other lock exists to migrate from.
type MultiLock struct {
	Primary   Interface
	Secondary Interface
}

var _ Interface = (*MultiLock)(nil)

// Get implements Interface. A holder of the primary lock that does not know the secondary holds both.
func (ml *MultiLock) Get(ctx context.Context) (*LeaderElectionRecord, []byte, error) {
	primary, primaryRaw, err := ml.Primary.Get(ctx)
	if err != nil {
		return nil, nil, err
	}
	secondary, secondaryRaw, err := ml.Secondary.Get(ctx)
	switch {
	case apierrors.IsNotFound(err) && primary.HolderIdentity != ml.Identity():
		return primary, primaryRaw, nil
	case err != nil:
		return nil, nil, err
	}
	if primary.HolderIdentity != secondary.HolderIdentity {
		primary.HolderIdentity = UnknownLeader
		if primaryRaw, err = json.Marshal(primary); err != nil {
			return nil, nil, err
		}
	}
	return primary, ConcatRawRecord(primaryRaw, secondaryRaw), nil
}

// Create implements Interface. An existing primary lock is left unchanged.
func (ml *MultiLock) Create(ctx context.Context, ler LeaderElectionRecord) error {
	if err := ml.Primary.Create(ctx, ler); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return ml.Secondary.Create(ctx, ler)
}

// Update implements Interface. The secondary lock is created if it is missing.
func (ml *MultiLock) Update(ctx context.Context, ler LeaderElectionRecord) error {
	if err := ml.Primary.Update(ctx, ler); err != nil {
		return err
	}
	if _, _, err := ml.Secondary.Get(ctx); apierrors.IsNotFound(err) {
		return ml.Secondary.Create(ctx, ler)
	}
	return ml.Secondary.Update(ctx, ler)
}

// RecordEvent implements Interface.
func (ml *MultiLock) RecordEvent(s string) {
	ml.Primary.RecordEvent(s)
	ml.Secondary.RecordEvent(s)
}

// Describe implements Interface with the description of the primary lock.
func (ml *MultiLock) Describe() string { return ml.Primary.Describe() }

// Identity implements Interface with the identity of the primary lock.
func (ml *MultiLock) Identity() string { return ml.Primary.Identity() }

// ConcatRawRecord joins the raw records of two locks.
//
// Deprecated: only MultiLock uses it.
func ConcatRawRecord(primaryRaw, secondaryRaw []byte) []byte {
	return bytes.Join([][]byte{primaryRaw, secondaryRaw}, []byte(","))
}
