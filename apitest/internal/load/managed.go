package load

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// managedFields are those of a pod that the controller manager created and whose status the kubelet writes. They are a
// large part of every real pod, and JSON even in protobuf.
func managedFields(o *owner, id *identity) []metav1.ManagedFieldsEntry {
	entry := func(manager, subresource string, fields *metav1.FieldsV1, at *metav1.Time) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: at,
			FieldsType: "FieldsV1", FieldsV1: fields, Subresource: subresource,
		}
	}
	kubelet := metav1.NewFieldsV1(strings.Replace(kubeletFields, placeholder, id.podIP, 1))
	return []metav1.ManagedFieldsEntry{
		entry("kube-controller-manager", "", o.controllerFields, &id.created),
		entry("kubelet", "status", kubelet, &id.readySince),
	}
}

// placeholder stands where managed fields have a value of the pod. To marshal them anew for each pod would take longer
// than all the rest of it.
const placeholder = "PLACEHOLDER"

// tree is the form of managed fields: each field that is managed, and below it its own fields.
type tree map[string]any

func (t tree) String() string {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // it has only maps and strings
	}
	return string(text)
}

// leaves are fields with nothing below.
func leaves(names ...string) tree {
	t := tree{}
	for _, name := range names {
		t["f:"+name] = tree{}
	}
	return t
}

// and adds fields to others.
func (t tree) and(more tree) tree {
	maps.Copy(t, more)
	return t
}

// element is the one of a list that has this key.
func element(key, value string, below tree) tree {
	return tree{fmt.Sprintf(`k:{"%s":"%s"}`, key, value): below.and(tree{".": tree{}})}
}

var kubeletFields = makeKubeletFields().String()

func makeKubeletFields() tree {
	conditions := tree{".": tree{}}
	for _, kind := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodInitialized, corev1.PodReady, corev1.PodReadyToStartContainers} {
		conditions.and(element("type", string(kind), leaves("lastProbeTime", "lastTransitionTime", "observedGeneration", "status", "type")))
	}
	return tree{"f:status": leaves("containerStatuses", "hostIP", "hostIPs", "observedGeneration", "phase", "podIP", "startTime").
		and(tree{"f:conditions": conditions, "f:podIPs": element("ip", placeholder, leaves("ip")).and(tree{".": tree{}})})}
}

func controllerFields(s *shape, ownerUID string) tree {
	annotations := leaves("checksum/config", "prometheus.io/port", "prometheus.io/scrape")
	if s.restarted {
		annotations.and(leaves("kubectl.kubernetes.io/restartedAt"))
	}
	containers := element("name", s.app, containerFields(s))
	if s.sidecar {
		containers.and(element("name", sidecarName, leaves("args", "image", "imagePullPolicy", "name", "ports", "readinessProbe",
			"resources", "terminationMessagePath", "terminationMessagePolicy")))
	}
	spec := leaves("dnsPolicy", "enableServiceLinks", "restartPolicy", "schedulerName", "securityContext", "serviceAccount",
		"serviceAccountName", "terminationGracePeriodSeconds", "volumes")
	return tree{
		"f:metadata": leaves("generateName").and(tree{
			"f:annotations": annotations,
			"f:labels": leaves("app.kubernetes.io/instance", "app.kubernetes.io/managed-by", "app.kubernetes.io/name",
				"app.kubernetes.io/part-of", "pod-template-hash", "team"),
			"f:ownerReferences": element("uid", ownerUID, tree{}).and(tree{".": tree{}}),
		}),
		"f:spec": spec.and(tree{"f:containers": containers}),
	}
}

func containerFields(s *shape) tree {
	env := tree{".": tree{}}
	for _, e := range s.env {
		if e.ValueFrom != nil {
			env.and(element("name", e.Name, leaves("name", "valueFrom")))
		} else {
			env.and(element("name", e.Name, leaves("name", "value")))
		}
	}
	mounts := element("mountPath", "/etc/config", leaves("mountPath", "name", "readOnly")).
		and(element("mountPath", "/tmp", leaves("mountPath", "name"))).and(tree{".": tree{}})
	return leaves("args", "image", "imagePullPolicy", "name", "ports", "readinessProbe", "securityContext",
		"terminationMessagePath", "terminationMessagePolicy").
		and(tree{
			"f:env":          env,
			"f:resources":    leaves("limits", "requests").and(tree{".": tree{}}),
			"f:volumeMounts": mounts,
		})
}
