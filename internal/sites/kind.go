package sites

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/gentype"
)

// Site is some pages, each in a config map. It is a plain struct: nothing is generated for it.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   SiteSpec   `json:"spec"`
	Status SiteStatus `json:"status,omitempty"`
}

// SiteSpec is what somebody wants.
type SiteSpec struct {
	Pages int    `json:"pages"`
	Text  string `json:"text"`
}

// SiteStatus is what there is. All of it is written each time, also what is empty, so that a patch clears what was there before.
type SiteStatus struct {
	Pages              int    `json:"pages"`
	ObservedGeneration int64  `json:"observedGeneration"`
	Message            string `json:"message"`
}

// Group is where sites are found, and Kind what they are called.
const (
	Group = "demo.vedette.dev"
	Kind  = "Site"
)

// Resource is where sites are found in a group: Group, unless somebody wants sites of their own.
func Resource(group string) gentype.Resource {
	return gentype.Resource{Group: group, Version: "v1", Kind: Kind, Plural: "sites"}
}

// GVR is the same, for clients of any kind.
func GVR(r gentype.Resource) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Plural}
}

// Reference is the site, for events.
func (s *Site) Reference(r gentype.Resource) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		APIVersion: r.Group + "/" + r.Version, Kind: r.Kind,
		Namespace: s.Namespace, Name: s.Name, UID: s.UID, ResourceVersion: s.ResourceVersion,
	}
}

// OwnerReference is the site, for what belongs to it.
func (s *Site) OwnerReference(r gentype.Resource) metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{
		APIVersion: r.Group + "/" + r.Version, Kind: r.Kind,
		Name: s.Name, UID: s.UID, Controller: &yes, BlockOwnerDeletion: &yes,
	}
}

// Of is the UID of the site that a config map is a page of, empty if it is none.
func Of(page metav1.Object) types.UID {
	if ref := metav1.GetControllerOf(page); ref != nil && ref.Kind == Kind {
		return ref.UID
	}
	return ""
}
