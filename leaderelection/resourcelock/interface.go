package resourcelock

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	// LeaderElectionRecordAnnotationKey is where locks other than Leases kept their record, when there were such.
	LeaderElectionRecordAnnotationKey = "control-plane.alpha.kubernetes.io/leader"
	// LeasesResourceLock is the lock type of a LeaseLock, and the only one.
	LeasesResourceLock = "leases"
)

// LeaderElectionRecord is who leads, as far as the API server was told.
type LeaderElectionRecord struct {
	// HolderIdentity is who holds the lock. Empty means that it was given back, and that anybody may take it at once.
	HolderIdentity string `json:"holderIdentity"`
	// LeaseDurationSeconds is how long others must see no change of the record before they take the lock.
	LeaseDurationSeconds int `json:"leaseDurationSeconds"`
	// AcquireTime and RenewTime are by the clock of the holder, which may be wrong. Nobody compares them with a clock: that they
	// change is what counts.
	AcquireTime metav1.Time `json:"acquireTime"`
	RenewTime   metav1.Time `json:"renewTime"`
	// LeaderTransitions grows when the lock is taken over. It does not when the holder renews it.
	LeaderTransitions int `json:"leaderTransitions"`
	// Strategy and PreferredHolder belong to coordinated leader election.
	Strategy        coordinationv1.CoordinatedLeaseStrategy `json:"strategy"`
	PreferredHolder string                                  `json:"preferredHolder"`
}

// Interface is a lock: a record that is only changed by who has seen its last change. Every method with a context must
// return soon after the context has ended.
type Interface interface {
	// Get returns the record, and the same as bytes, which differ if the record does. If there is none, the error is one for
	// which apierrors.IsNotFound is true.
	Get(ctx context.Context) (*LeaderElectionRecord, []byte, error)
	// Create makes the record, and fails if there is one.
	Create(ctx context.Context, ler LeaderElectionRecord) error
	// Update changes the record. It fails if the record was changed, removed or made anew since the last Get, Create or Update of
	// this lock that succeeded.
	Update(ctx context.Context, ler LeaderElectionRecord) error
	// RecordEvent tells that the holder has done what the text says.
	RecordEvent(string)
	// Identity is who we are. It does not change.
	Identity() string
	// Describe names the lock in logs and errors.
	Describe() string
}

// EventRecorder is told when leadership begins and ends. The recorders of package record are such.
type EventRecorder interface {
	Eventf(obj runtime.Object, eventType, reason, message string, args ...interface{})
}

// ResourceLockConfig is what a lock knows of its owner.
type ResourceLockConfig struct {
	// Identity tells the replicas apart. No two may have the same, and a process that starts anew should have a new one, such
	// as the host name with something random behind it.
	Identity string
	// EventRecorder may be nil.
	EventRecorder EventRecorder
}
