package kinds

import (
	"slices"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
)

// Fields are what field selectors can select obj by, an object of the kind in whichever version. Names are those that
// FieldLabel gives.
func (k *Kind) Fields(obj runtime.Object) fields.Set {
	m, err := meta.Accessor(obj)
	if err != nil {
		return fields.Set{}
	}
	set := fields.Set{"metadata.name": m.GetName()}
	if k.Namespaced {
		set["metadata.namespace"] = m.GetNamespace()
	}
	addFields(set, obj)
	if u, ok := obj.(*unstructured.Unstructured); ok && k.custom != nil {
		k.custom.addFields(set, u)
	}
	return set
}

func addFields(set fields.Set, obj runtime.Object) {
	switch o := obj.(type) {
	case *corev1.Pod:
		addPodFields(set, o)
	case *corev1.Event:
		addEventFields(set, o)
	case *eventsv1.Event:
		addEventFields(set, eventFromEvents(o))
	case *corev1.Node:
		set["spec.unschedulable"] = strconv.FormatBool(o.Spec.Unschedulable)
	case *corev1.ReplicationController:
		set["status.replicas"] = strconv.Itoa(int(o.Status.Replicas))
	case *corev1.Namespace:
		set["status.phase"] = string(o.Status.Phase)
	case *corev1.Secret:
		set["type"] = string(o.Type)
	case *corev1.Service:
		set["spec.clusterIP"], set["spec.type"] = o.Spec.ClusterIP, string(o.Spec.Type)
	case *batchv1.Job:
		set["status.successful"] = strconv.Itoa(int(o.Status.Succeeded))
	case *certificatesv1.CertificateSigningRequest:
		set["spec.signerName"] = o.Spec.SignerName
	case *resourcev1.ResourceSlice:
		set["spec.driver"], set["spec.nodeName"] = o.Spec.Driver, ""
		if o.Spec.NodeName != nil {
			set["spec.nodeName"] = *o.Spec.NodeName
		}
	}
}

func addPodFields(set fields.Set, pod *corev1.Pod) {
	set["spec.nodeName"] = pod.Spec.NodeName
	set["spec.restartPolicy"] = string(pod.Spec.RestartPolicy)
	set["spec.schedulerName"] = pod.Spec.SchedulerName
	set["spec.serviceAccountName"] = pod.Spec.ServiceAccountName
	set["spec.hostNetwork"] = strconv.FormatBool(pod.Spec.HostNetwork)
	set["status.phase"] = string(pod.Status.Phase)
	set["status.nominatedNodeName"] = pod.Status.NominatedNodeName
	set["status.podIP"] = pod.Status.PodIP
	if len(pod.Status.PodIPs) > 0 {
		set["status.podIP"] = pod.Status.PodIPs[0].IP
	}
}

func addEventFields(set fields.Set, event *corev1.Event) {
	about := event.InvolvedObject
	set["involvedObject.kind"] = about.Kind
	set["involvedObject.namespace"] = about.Namespace
	set["involvedObject.name"] = about.Name
	set["involvedObject.uid"] = string(about.UID)
	set["involvedObject.apiVersion"] = about.APIVersion
	set["involvedObject.resourceVersion"] = about.ResourceVersion
	set["involvedObject.fieldPath"] = about.FieldPath
	set["reason"] = event.Reason
	set["reportingComponent"] = event.ReportingController
	set["type"] = event.Type
	set["source"] = event.Source.Component
	if set["source"] == "" {
		set["source"] = event.ReportingController
	}
}

// addFields adds what the definition calls selectable. A field that an object lacks selects as the empty string.
func (c *customKind) addFields(set fields.Set, u *unstructured.Unstructured) {
	for _, path := range c.selectable {
		values, err := findPath(u.Object, path)
		if err != nil || len(values) == 0 {
			set[path[1:]] = ""
			continue
		}
		set[path[1:]] = selectableString(values[0])
	}
}

func selectableString(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	default:
		return ""
	}
}

func (c *customKind) isSelectable(label string) bool { return slices.Contains(c.selectable, "."+label) }
