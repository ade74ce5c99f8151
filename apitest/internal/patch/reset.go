package patch

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"vedette.dev/apitest/internal/kinds"
)

// resetFields returns the fields that a path does not write whatever a client sends, so that they have no manager
// there: the status for the object, the spec for the status subresource. It applies to each served version of the kind.
func resetFields(r *kinds.Registry, s shape, subresource string) map[fieldpath.APIVersion]fieldpath.Filter {
	if !s.own() {
		return nil
	}
	filter := podFilters[podPath{s.GroupVersionKind, subresource}]
	if filter == nil {
		set := resetSet(s.kind, subresource)
		if set.Empty() {
			return nil
		}
		filter = fieldpath.NewExcludeSetFilter(set)
	}
	filters := map[fieldpath.APIVersion]fieldpath.Filter{}
	for _, other := range r.All() {
		if other.GroupKind() == s.GroupKind() {
			filters[fieldpath.APIVersion(other.GroupVersion().String())] = filter
		}
	}
	return filters
}

func resetSet(kind *kinds.Kind, subresource string) *fieldpath.Set {
	switch {
	case subresource == "" || kind.GroupKind() == namespace && subresource == "finalize":
		if !kind.HasStatus() {
			return fieldpath.NewSet()
		}
		set := fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
		if kind.GroupKind() == signingRequest {
			set.Insert(fieldpath.MakePathOrDie("spec")) // it cannot be changed once it is there
		}
		return set
	case subresource == "approval":
		return fieldpath.NewSet(fieldpath.MakePathOrDie("spec"), fieldpath.MakePathOrDie("status", "certificate"))
	case subresource == "status":
		return statusReset(kind)
	}
	return fieldpath.NewSet()
}

// statusReset: kinds differ in whether the status path may write metadata, by accident more than by design.
func statusReset(kind *kinds.Kind) *fieldpath.Set {
	set := fieldpath.NewSet(fieldpath.MakePathOrDie("spec"))
	switch {
	case kind.Custom, slices.Contains(statusWithoutMetadata, kind.GroupKind()):
		set.Insert(fieldpath.MakePathOrDie("metadata"))
	case kind.GroupKind() == signingRequest:
		set.Insert(fieldpath.MakePathOrDie("status", "conditions"))
	case kind.GroupKind() == schema.GroupKind{Group: "apps", Kind: "Deployment"}:
		set.Insert(fieldpath.MakePathOrDie("metadata", "labels"))
	case kind.GroupKind() == schema.GroupKind{Kind: "Pod"}:
		set.Insert(fieldpath.MakePathOrDie("metadata", "deletionTimestamp"))
		set.Insert(fieldpath.MakePathOrDie("metadata", "ownerReferences"))
	}
	return set
}

var (
	signingRequest = schema.GroupKind{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}
	namespace      = schema.GroupKind{Kind: "Namespace"}
)

// statusWithoutMetadata are the built-in kinds whose status path leaves metadata alone.
var statusWithoutMetadata = []schema.GroupKind{
	{Group: "scheduling.k8s.io", Kind: "PodGroup"},
	{Group: "networking.k8s.io", Kind: "ServiceCIDR"},
	{Group: "storagemigration.k8s.io", Kind: "StorageVersionMigration"},
	{Group: "resource.k8s.io", Kind: "ResourceClaim"},
	{Group: "resource.k8s.io", Kind: "DeviceTaintRule"},
	{Group: "resource.k8s.io", Kind: "ResourcePoolStatusRequest"},
	{Group: "internal.apiserver.k8s.io", Kind: "StorageVersion"},
	{Group: "storage.k8s.io", Kind: "VolumeAttachment"},
	{Group: "flowcontrol.apiserver.k8s.io", Kind: "FlowSchema"},
	{Group: "flowcontrol.apiserver.k8s.io", Kind: "PriorityLevelConfiguration"},
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicy"},
	{Group: "apiregistration.k8s.io", Kind: "APIService"},
}

type podPath struct {
	schema.GroupVersionKind
	subresource string
}

// podFilters are the paths that write only what they name.
var podFilters = map[podPath]fieldpath.Filter{
	{pod, "ephemeralcontainers"}: fieldpath.NewIncludeMatcherFilter(
		fieldpath.MakePrefixMatcherOrDie("spec", "ephemeralContainers")),
	{pod, "resize"}: fieldpath.NewIncludeMatcherFilter(
		fieldpath.MakePrefixMatcherOrDie("spec", "containers", fieldpath.MatchAnyPathElement(), "resources"),
		fieldpath.MakePrefixMatcherOrDie("spec", "containers", fieldpath.MatchAnyPathElement(), "resizePolicy"),
		fieldpath.MakePrefixMatcherOrDie("spec", "initContainers", fieldpath.MatchAnyPathElement(), "resources"),
		fieldpath.MakePrefixMatcherOrDie("spec", "initContainers", fieldpath.MatchAnyPathElement(), "resizePolicy")),
}

var pod = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
