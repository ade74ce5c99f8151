package pods

import (
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// New makes pod i. As the items of a list, it has no kind and apiVersion.
func New(i int) *corev1.Pod { return Changed(i, 0) }

// Changed makes pod i as a change has left it, of which change is the number: its containers were started anew. Zero is the pod
// as it was at first. Changes are counted over all pods, so each has a version of its own.
func Changed(i, change int) *corev1.Pod {
	id := newIdentity()
	id.fill(i)
	id.change(change)
	return build(shapes[shapeOf(i)], id)
}

// Version is the resource version of pod i after a change.
func Version(i, change int) int64 {
	if change > 0 {
		return ListVersion + int64(change)
	}
	return firstVersion + int64(i)
}

// ListVersion is the version of a list before the first change.
const ListVersion = 5_000_000_000

// Key is the namespace and the name of pod i.
func Key(i int) types.NamespacedName {
	id := newIdentity()
	id.fill(i)
	s := shapes[shapeOf(i)]
	return types.NamespacedName{Namespace: s.namespace, Name: podName(s, id)}
}

// UID returns the UID of pod i.
func UID(i int) types.UID {
	id := newIdentity()
	id.fill(i)
	return types.UID(id.text[podUID])
}

// What every pod has.
const (
	LabelCount     = 6
	ConditionCount = 5
)

// ContainersOf is the number of containers in pod i.
func ContainersOf(i int) int {
	if shapes[shapeOf(i)].sidecar {
		return 2
	}
	return 1
}

func build(s *shape, id *identity) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: meta(s, id), Spec: spec(s, id), Status: status(s, id)}
}

func deployment(s *shape, id *identity) string { return s.app + "-" + id.string(ownerNumber) }

func replicaSet(s *shape, id *identity) string {
	return deployment(s, id) + "-" + id.string(ownerHash)
}

func podName(s *shape, id *identity) string { return replicaSet(s, id) + "-" + id.string(podSuffix) }

func node(id *identity) string {
	return "worker-" + id.string(nodeNumber) + ".eu-central-1.example.net"
}

func at(id *identity, m moment) metav1.Time { return metav1.Time{Time: time.Unix(id.times[m], 0)} }

func meta(s *shape, id *identity) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:              podName(s, id),
		GenerateName:      replicaSet(s, id) + "-",
		Namespace:         s.namespace,
		UID:               types.UID(id.string(podUID)),
		ResourceVersion:   id.string(version),
		Generation:        1,
		CreationTimestamp: at(id, created),
		Labels:            labels(s, id),
		Annotations:       annotations(s, id),
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion: "apps/v1", Kind: "ReplicaSet", Name: replicaSet(s, id), UID: types.UID(id.string(ownerUID)),
			Controller: new(true), BlockOwnerDeletion: new(true),
		}},
		ManagedFields: managedFields(s, id),
	}
}

func labels(s *shape, id *identity) map[string]string {
	return map[string]string{
		"app.kubernetes.io/name":       s.app,
		"app.kubernetes.io/instance":   deployment(s, id),
		"app.kubernetes.io/part-of":    s.team,
		"app.kubernetes.io/managed-by": "Helm",
		"pod-template-hash":            id.string(ownerHash),
		"team":                         s.team,
	}
}

func annotations(s *shape, id *identity) map[string]string {
	a := map[string]string{
		"checksum/config":              s.configHash,
		"cni.projectcalico.org/podIP":  id.string(podIP) + "/32",
		"cni.projectcalico.org/podIPs": id.string(podIP) + "/32",
		"prometheus.io/scrape":         "true",
		"prometheus.io/port":           strconv.Itoa(int(s.port)),
	}
	if s.restarted {
		a["kubectl.kubernetes.io/restartedAt"] = string(appendTime(nil, firstTime))
	}
	return a
}
