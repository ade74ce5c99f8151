package sharding

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/bench/pods"
)

const (
	// indexMark is the annotation that says which object it is, and writtenMark when it was written, in nanoseconds.
	indexMark   = "bench.vedette.dev/index"
	writtenMark = "bench.vedette.dev/written"
	// tenantLabel is the label whose value is the namespace.
	tenantLabel = "tenant"
)

// managedFields is what a kubelet has written.
const managedFields = `{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:status":{},"f:type":{}},` +
	`"k:{\"type\":\"PodScheduled\"}":{".":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},` +
	`"f:hostIPs":{},"f:phase":{},"f:podIP":{},"f:podIPs":{},"f:startTime":{}}}`

// newPod makes pod i of a namespace. It is a small one, of about 1 KB in protobuf, or one like those of a real cluster.
func newPod(i int, namespace string, realistic bool) *corev1.Pod {
	if realistic {
		pod := pods.New(i)
		pod.Annotations[indexMark] = strconv.Itoa(i)
		return pod
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace,
			Name:      fmt.Sprintf("pod-%06d", i),
			UID:       pods.UID(i),
			Labels:    map[string]string{"app": fmt.Sprintf("app-%d", i/20), tenantLabel: namespace, "track": "stable"},
			Annotations: map[string]string{
				indexMark:         strconv.Itoa(i),
				"checksum/config": strings.Repeat("0123456789abcdef", 4),
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: fmt.Sprintf("app-%d-7d4b9c", i/20), UID: pods.UID(i / 20),
				Controller: new(true), BlockOwnerDeletion: new(true),
			}},
			ManagedFields: []metav1.ManagedFieldsEntry{{
				Manager: "kubelet", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", FieldsType: "FieldsV1",
				FieldsV1: metav1.NewFieldsV1(managedFields), Subresource: "status",
			}},
		},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name:  "server",
				Image: "images.example.net/team/server:v1.24.3",
				Env: []corev1.EnvVar{
					{Name: "LOG_LEVEL", Value: "info"},
					{Name: "DATABASE", Value: "postgres://server.example.net:5432/main"},
				},
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("128Mi"),
				}},
			}},
			NodeName:           fmt.Sprintf("worker-%04d.eu-central-1.example.net", i%4000),
			ServiceAccountName: "server",
			RestartPolicy:      corev1.RestartPolicyAlways,
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, PodIP: "100.64.12.34", HostIP: "172.20.12.34",
			Conditions: []corev1.PodCondition{
				{Type: corev1.PodReady, Status: corev1.ConditionTrue},
				{Type: corev1.PodScheduled, Status: corev1.ConditionTrue},
			},
		},
	}
}

// indexOf says which object a pod is, -1 if it does not say.
func indexOf(pod *corev1.Pod) int {
	i, err := strconv.Atoi(pod.Annotations[indexMark])
	if err != nil {
		return -1
	}
	return i
}

// versionOf is the resource version, which is a number here.
func versionOf(pod *corev1.Pod) int64 {
	v, err := strconv.ParseInt(pod.ResourceVersion, 10, 64)
	if err != nil {
		return -1
	}
	return v
}

func keyOf(pod *corev1.Pod) types.NamespacedName {
	return types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
}

// writtenOf is when the server wrote a pod, in nanoseconds; 0 if that was in the beginning.
func writtenOf(pod *corev1.Pod) int64 {
	at, err := strconv.ParseInt(pod.Annotations[writtenMark], 10, 64)
	if err != nil {
		return 0
	}
	return at
}
