package kinds

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// fieldLabels are the labels of kinds that have some of their own, besides metadata.name.
var fieldLabels = map[schema.GroupVersionKind][]string{
	{Version: "v1", Kind: "Pod"}: {"metadata.namespace", "spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
		"spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP", "status.podIPs",
		"status.nominatedNodeName"},
	{Version: "v1", Kind: "Event"}: {"metadata.namespace", "involvedObject.kind", "involvedObject.namespace",
		"involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion",
		"involvedObject.fieldPath", "reason", "reportingComponent", "source", "type"},
	{Group: "events.k8s.io", Version: "v1", Kind: "Event"}:                           {"metadata.namespace", "reason", "type"},
	{Version: "v1", Kind: "Node"}:                                                    {"spec.unschedulable"},
	{Version: "v1", Kind: "ReplicationController"}:                                   {"metadata.namespace", "status.replicas"},
	{Version: "v1", Kind: "Namespace"}:                                               {"status.phase"},
	{Version: "v1", Kind: "Secret"}:                                                  {"metadata.namespace", "type"},
	{Version: "v1", Kind: "Service"}:                                                 {"metadata.namespace", "spec.clusterIP", "spec.type"},
	{Group: "batch", Version: "v1", Kind: "Job"}:                                     {"metadata.namespace", "status.successful"},
	{Group: "certificates.k8s.io", Version: "v1", Kind: "CertificateSigningRequest"}: {"spec.signerName"},
	{Group: "resource.k8s.io", Version: "v1", Kind: "ResourceSlice"}:                 {"spec.nodeName", "spec.driver"},
}

// renamedLabels are labels that select by a field of another name: events are stored under the older names.
var renamedLabels = map[schema.GroupVersionKind]map[string]string{
	{Version: "v1", Kind: "Pod"}: {"spec.host": "spec.nodeName"},
	{Group: "events.k8s.io", Version: "v1", Kind: "Event"}: {
		"regarding.kind":            "involvedObject.kind",
		"regarding.namespace":       "involvedObject.namespace",
		"regarding.name":            "involvedObject.name",
		"regarding.uid":             "involvedObject.uid",
		"regarding.apiVersion":      "involvedObject.apiVersion",
		"regarding.resourceVersion": "involvedObject.resourceVersion",
		"regarding.fieldPath":       "involvedObject.fieldPath",
		"reportingController":       "reportingComponent",
	},
}

// FieldLabel is for fields.Selector.Transform: it gives the name that a label of a selector has in Fields, or the error
// of the real server, which belongs into a Status of reason BadRequest.
func (k *Kind) FieldLabel(label, value string) (string, string, error) {
	if k.Custom {
		return k.customFieldLabel(label, value)
	}
	own, special := fieldLabels[k.GroupVersionKind]
	if !special {
		return runtime.DefaultMetaV1FieldSelectorConversion(label, value)
	}
	if label == "metadata.name" || slices.Contains(own, label) {
		return label, value, nil
	}
	if name, ok := renamedLabels[k.GroupVersionKind][label]; ok {
		return name, value, nil
	}
	return "", "", k.unknownLabel(label)
}

// unknownLabel speaks as the real server does, where each kind has words of its own.
func (k *Kind) unknownLabel(label string) error {
	switch k.Kind {
	case "Job":
		return fmt.Errorf("field label %q not supported for Job", label)
	case "ResourceSlice":
		return fmt.Errorf("field label not supported for %s: %s", k.GroupVersionKind, label)
	}
	return fmt.Errorf("field label not supported: %s", label)
}

func (k *Kind) customFieldLabel(label, value string) (string, string, error) {
	if label == "metadata.name" || label == "metadata.namespace" && k.Namespaced || k.custom.isSelectable(label) {
		return label, value, nil
	}
	return "", "", fmt.Errorf("field label not supported: %s", label)
}
