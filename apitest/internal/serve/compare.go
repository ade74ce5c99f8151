package serve

import (
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// same reports whether a change is a no-op. Then nothing is written, and the version does not change.
func same(obj, live runtime.Object) bool { return apiequality.Semantic.DeepEqual(obj, live) }

// keepTimes copies the managed fields of live to obj, if they differ only in their times.
func keepTimes(obj, live runtime.Object) {
	m, old := metaOf(obj), metaOf(live).GetManagedFields()
	fields := m.GetManagedFields()
	if !sameButTimes(fields, old) {
		return
	}
	m.SetManagedFields(old)
	if !same(obj, live) {
		m.SetManagedFields(fields)
	}
}

func sameButTimes(a, b []metav1.ManagedFieldsEntry) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		x.Time, y.Time = nil, nil
		if !apiequality.Semantic.DeepEqual(x, y) {
			return false
		}
	}
	return true
}

// returnsDeleted are the kinds for which the response to a deletion is the object, and not a Status.
var returnsDeleted = map[schema.GroupKind]bool{
	{Kind: "Namespace"}:                                       true,
	{Kind: "PersistentVolume"}:                                true,
	{Kind: "PersistentVolumeClaim"}:                           true,
	{Kind: "Pod"}:                                             true,
	{Kind: "PodTemplate"}:                                     true,
	{Kind: "ResourceQuota"}:                                   true,
	{Kind: "Service"}:                                         true,
	{Kind: "ServiceAccount"}:                                  true,
	{Group: "resource.k8s.io", Kind: "DeviceClass"}:           true,
	{Group: "resource.k8s.io", Kind: "DeviceTaintRule"}:       true,
	{Group: "resource.k8s.io", Kind: "ResourceClaim"}:         true,
	{Group: "resource.k8s.io", Kind: "ResourceClaimTemplate"}: true,
	{Group: "resource.k8s.io", Kind: "ResourceSlice"}:         true,
	{Group: "storage.k8s.io", Kind: "CSIDriver"}:              true,
	{Group: "storage.k8s.io", Kind: "CSINode"}:                true,
	{Group: "storage.k8s.io", Kind: "StorageClass"}:           true,
	{Group: "storage.k8s.io", Kind: "VolumeAttachment"}:       true,
	{Group: "storage.k8s.io", Kind: "VolumeAttributesClass"}:  true,
}
