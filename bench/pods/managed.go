package pods

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
func managedFields(s *shape, id *identity) []metav1.ManagedFieldsEntry {
	entry := func(manager, subresource, fields string, m moment) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: new(at(id, m)),
			FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields), Subresource: subresource,
		}
	}
	return []metav1.ManagedFieldsEntry{
		entry("kube-controller-manager", "", strings.Replace(s.controllerFields, placeholder, id.string(ownerUID), 1), created),
		entry("calico", "status", calicoFields, started),
		entry("kubelet", "status", strings.Replace(kubeletFields, placeholder, id.string(podIP), 1), ready),
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

var calicoFields = tree{"f:metadata": tree{"f:annotations": leaves("cni.projectcalico.org/podIP", "cni.projectcalico.org/podIPs")}}.String()

var kubeletFields = makeKubeletFields().String()

func makeKubeletFields() tree {
	conditions := tree{".": tree{}}
	for _, kind := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodInitialized, corev1.PodReady, corev1.PodReadyToStartContainers} {
		conditions.and(element("type", string(kind), leaves("lastProbeTime", "lastTransitionTime", "observedGeneration", "status", "type")))
	}
	return tree{"f:status": leaves("containerStatuses", "hostIP", "hostIPs", "observedGeneration", "phase", "podIP", "startTime").
		and(tree{"f:conditions": conditions, "f:podIPs": element("ip", placeholder, leaves("ip")).and(tree{".": tree{}})})}
}

func makeControllerFields(s *shape) tree {
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
			"f:ownerReferences": element("uid", placeholder, tree{}).and(tree{".": tree{}}),
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
