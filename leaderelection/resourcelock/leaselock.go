package resourcelock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	coordinationv1client "vedette.dev/kubernetes/typed/coordination/v1"
)

// LeaseLock is a lock in a Lease. Its fields must not be changed after first use.
type LeaseLock struct {
	// LeaseMeta has the Name and the Namespace of the Lease. Other fields are ignored.
	LeaseMeta metav1.ObjectMeta
	Client    coordinationv1client.LeasesGetter
	// LockConfig has the identity.
	LockConfig ResourceLockConfig
	// Labels are added to the labels of the Lease by each holder.
	Labels map[string]string

	// lease is the last answer of the server, nil before that. Update sends its version.
	lease *coordinationv1.Lease
}

var _ Interface = (*LeaseLock)(nil)

// Get implements Interface.
func (ll *LeaseLock) Get(ctx context.Context) (*LeaderElectionRecord, []byte, error) {
	lease, err := ll.leases().Get(ctx, ll.LeaseMeta.Name, metav1.GetOptions{})
	if err != nil {
		return nil, nil, err
	}
	// The spec and not the record: its times have microseconds in JSON, and two renewals in one second must differ.
	raw, err := json.Marshal(lease.Spec)
	if err != nil {
		return nil, nil, fmt.Errorf("resourcelock: Lease %s: %w", ll.Describe(), err)
	}
	ll.lease = lease
	return LeaseSpecToLeaderElectionRecord(&lease.Spec), raw, nil
}

// Create implements Interface.
func (ll *LeaseLock) Create(ctx context.Context, ler LeaderElectionRecord) error {
	lease, err := ll.leases().Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: ll.LeaseMeta.Namespace, Name: ll.LeaseMeta.Name, Labels: maps.Clone(ll.Labels)},
		Spec:       LeaderElectionRecordToLeaseSpec(&ler),
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	ll.lease = lease
	return nil
}

// Update implements Interface.
func (ll *LeaseLock) Update(ctx context.Context, ler LeaderElectionRecord) error {
	if ll.lease == nil {
		return errors.New("resourcelock: Update of Lease " + ll.Describe() + " before Get or Create")
	}
	lease := ll.lease.DeepCopy() // if this fails, ll.lease must be unchanged
	lease.Spec = LeaderElectionRecordToLeaseSpec(&ler)
	if lease.Labels == nil && len(ll.Labels) > 0 {
		lease.Labels = make(map[string]string, len(ll.Labels))
	}
	maps.Copy(lease.Labels, ll.Labels)
	lease, err := ll.leases().Update(ctx, lease, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	ll.lease = lease
	return nil
}

// RecordEvent implements Interface. The event is about the Lease.
func (ll *LeaseLock) RecordEvent(s string) {
	if ll.LockConfig.EventRecorder == nil {
		return
	}
	subject := &coordinationv1.Lease{
		// An event needs the kind, which a Lease from a typed client does not have set.
		TypeMeta:   metav1.TypeMeta{Kind: "Lease", APIVersion: coordinationv1.SchemeGroupVersion.String()},
		ObjectMeta: metav1.ObjectMeta{Namespace: ll.LeaseMeta.Namespace, Name: ll.LeaseMeta.Name},
	}
	if ll.lease != nil {
		subject.ObjectMeta = *ll.lease.ObjectMeta.DeepCopy()
	}
	ll.LockConfig.EventRecorder.Eventf(subject, corev1.EventTypeNormal, "LeaderElection", "%s %s", ll.LockConfig.Identity, s)
}

// Identity implements Interface.
func (ll *LeaseLock) Identity() string { return ll.LockConfig.Identity }

// Describe implements Interface: namespace/name.
func (ll *LeaseLock) Describe() string { return ll.LeaseMeta.Namespace + "/" + ll.LeaseMeta.Name }

func (ll *LeaseLock) leases() coordinationv1client.LeaseInterface {
	return ll.Client.Leases(ll.LeaseMeta.Namespace)
}
