package shardgroup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	coordinationclient "vedette.dev/kubernetes/typed/coordination/v1"
	coreclient "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/rest"
	"vedette.dev/shardgroup/internal/protocol"
)

// Overview is a group as it is on the server.
type Overview struct {
	// Group is the namespace and the name of the group, and Key the name of the key that objects are divided by.
	Group, Key string
	// Unproven reports whether the map is new, and grants nothing yet: members of an earlier map may still work.
	Unproven bool
	// Members are those with a lease, and those that the map names, by name.
	Members []MemberState
	// Shards has an entry for each shard. UnownedFor, Here and InFlight are not known.
	Shards []ShardState
}

// MemberState is a member as it is on the server.
type MemberState struct {
	Name string
	// Phase is joining, active, leaving, left or fenced. It is empty if the member has no lease.
	Phase string
	// Coordinator reports whether the member assigns shards.
	Coordinator bool
	// Shards is the number of shards that the member owns, Load the sum of their loads, and Capacity what Config.Capacity is.
	Shards         int
	Load, Capacity float64
	// Renewed is when the member renewed its lease, by its own clock. LeaseDuration is how long the others wait for the next renewal.
	Renewed       time.Time
	LeaseDuration time.Duration
}

// ErrInvalidMap is wrapped by the error of [Read] if there is a ConfigMap of that name, and it is not a valid map of a group.
var ErrInvalidMap = errors.New("no valid map of a group")

// Read reads the map and the leases of a group, without joining it. That takes the rights to get configmaps and to list leases.
func Read(ctx context.Context, config *rest.Config, namespace, name string) (*Overview, error) {
	core, err := coreclient.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("shardgroup: %w", err)
	}
	coordination, err := coordinationclient.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("shardgroup: %w", err)
	}
	group := namespace + "/" + name
	cm, err := core.ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("group %s has no map: %w", group, err)
	}
	if err != nil {
		return nil, fmt.Errorf("failed to get the map of group %s: %w", group, err)
	}
	r, err := readMap(cm)
	if err != nil {
		return nil, fmt.Errorf("%w: ConfigMap %s: %w", ErrInvalidMap, group, err)
	}
	if r == nil {
		return nil, fmt.Errorf("%w: ConfigMap %s has no %q", ErrInvalidMap, group, mapKey)
	}
	leases, err := coordination.Leases(namespace).List(ctx, metav1.ListOptions{LabelSelector: groupLabel + "=" + name})
	if err != nil {
		return nil, fmt.Errorf("failed to list the leases of group %s: %w", group, err)
	}
	o := &Overview{Group: group, Key: r.Key, Unproven: r.Unproven}
	members, loads := map[string]*MemberState{}, map[int]float64{}
	member := func(name string) *MemberState {
		if members[name] == nil {
			members[name] = &MemberState{Name: name}
		}
		return members[name]
	}
	for i := range leases.Items {
		lease := &leases.Items[i]
		m := member(lease.Name)
		if at := lease.Spec.RenewTime; at != nil {
			m.Renewed = at.Time
		}
		if seconds := lease.Spec.LeaseDurationSeconds; seconds != nil {
			m.LeaseDuration = time.Duration(*seconds) * time.Second
		}
		report, err := protocol.ParseReport(lease.Annotations[protocol.Annotation])
		if err != nil {
			continue // as a member without a phase
		}
		m.Phase, m.Capacity = string(report.State), report.Capacity
		for i, load := range report.Load {
			if i >= 0 && i < len(r.Shards) && string(r.Shards[i].Owner) == lease.Name {
				loads[i] = load
			}
		}
	}
	for i, s := range r.Shards {
		o.Shards = append(o.Shards, ShardState{
			Owner: string(s.Owner), Target: string(s.Target), Phase: s.Phase.String(), Epoch: s.Epoch, Load: loads[i],
		})
		if s.Owner != "" {
			m := member(string(s.Owner))
			m.Shards, m.Load = m.Shards+1, m.Load+loads[i]
		}
	}
	if len(r.Coordinators) > 0 {
		member(string(r.Coordinators[0])).Coordinator = true
	}
	for _, m := range members {
		o.Members = append(o.Members, *m)
	}
	slices.SortFunc(o.Members, func(a, b MemberState) int { return strings.Compare(a.Name, b.Name) })
	return o, nil
}
