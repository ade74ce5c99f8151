package resourcelock

import (
	"math"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LeaseSpecToLeaderElectionRecord returns the record in a Lease. Missing values are zero.
func LeaseSpecToLeaderElectionRecord(spec *coordinationv1.LeaseSpec) *LeaderElectionRecord {
	return &LeaderElectionRecord{
		HolderIdentity:       value(spec.HolderIdentity),
		LeaseDurationSeconds: int(value(spec.LeaseDurationSeconds)),
		AcquireTime:          metav1.Time{Time: value(spec.AcquireTime).Time},
		RenewTime:            metav1.Time{Time: value(spec.RenewTime).Time},
		LeaderTransitions:    int(value(spec.LeaseTransitions)),
		Strategy:             value(spec.Strategy),
		PreferredHolder:      value(spec.PreferredHolder),
	}
}

// LeaderElectionRecordToLeaseSpec returns the Lease for a record. Numbers out of the range of a Lease are clamped.
func LeaderElectionRecordToLeaseSpec(ler *LeaderElectionRecord) coordinationv1.LeaseSpec {
	holder, seconds, transitions := ler.HolderIdentity, fitting(ler.LeaseDurationSeconds), fitting(ler.LeaderTransitions)
	spec := coordinationv1.LeaseSpec{
		HolderIdentity:       &holder,
		LeaseDurationSeconds: &seconds,
		AcquireTime:          &metav1.MicroTime{Time: ler.AcquireTime.Time},
		RenewTime:            &metav1.MicroTime{Time: ler.RenewTime.Time},
		LeaseTransitions:     &transitions,
	}
	if preferred := ler.PreferredHolder; preferred != "" {
		spec.PreferredHolder = &preferred
	}
	if strategy := ler.Strategy; strategy != "" {
		spec.Strategy = &strategy
	}
	return spec
}

func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

func fitting(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }
