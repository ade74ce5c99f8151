package resourcelock

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	// LeaderElectionRecordAnnotationKey is the annotation in which older locks, other than Leases, kept their record.
	LeaderElectionRecordAnnotationKey = "control-plane.alpha.kubernetes.io/leader"
	// LeasesResourceLock is the lock type of a LeaseLock, the only supported one.
	LeasesResourceLock = "leases"
)

// LeaderElectionRecord is the state of the lock.
type LeaderElectionRecord struct {
	// HolderIdentity is the holder of the lock. Empty means that it was released, and can be taken at once.
	HolderIdentity string `json:"holderIdentity"`
	// LeaseDurationSeconds is how long other replicas must see no change of the record before they take the lock.
	LeaseDurationSeconds int `json:"leaseDurationSeconds"`
	// AcquireTime and RenewTime are from the clock of the holder, which may be wrong. They are never compared with a
	// clock; only changes of them are used.
	AcquireTime metav1.Time `json:"acquireTime"`
	RenewTime   metav1.Time `json:"renewTime"`
	// LeaderTransitions is incremented when the lock is taken over, not when the holder renews it.
	LeaderTransitions int `json:"leaderTransitions"`
	// Strategy and PreferredHolder belong to coordinated leader election.
	Strategy        coordinationv1.CoordinatedLeaseStrategy `json:"strategy"`
	PreferredHolder string                                  `json:"preferredHolder"`
}

// Interface is a lock: a record with optimistic locking. Every method with a context must return soon after the context
// has ended.
type Interface interface {
	// Get returns the record, and a serialized form, which differs if the record does. If there is none,
	// apierrors.IsNotFound is true for the error.
	Get(ctx context.Context) (*LeaderElectionRecord, []byte, error)
	// Create creates the record, and fails if it exists.
	Create(ctx context.Context, ler LeaderElectionRecord) error
	// Update updates the record. It fails if the record was changed, deleted or recreated since the last successful
	// Get, Create or Update of this lock.
	Update(ctx context.Context, ler LeaderElectionRecord) error
	// RecordEvent records an event about the holder.
	RecordEvent(string)
	// Identity returns the identity of this replica. It does not change.
	Identity() string
	// Describe returns a name of the lock for logs and errors.
	Describe() string
}

// EventRecorder records events about leadership changes. The recorders of package record implement it.
type EventRecorder interface {
	Eventf(obj runtime.Object, eventType, reason, message string, args ...interface{})
}

// ResourceLockConfig is the configuration of a lock.
type ResourceLockConfig struct {
	// Identity identifies the replica. It must be unique, and a process that is restarted should have a new one, such
	// as the host name with a random suffix.
	Identity string
	// EventRecorder may be nil.
	EventRecorder EventRecorder
}
