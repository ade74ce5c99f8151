package sites

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/gentype"
)

// Site has pages, each in a config map. It is a plain struct: nothing is generated for it.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   SiteSpec   `json:"spec"`
	Status SiteStatus `json:"status,omitempty"`
}

// SiteSpec is the desired state.
type SiteSpec struct {
	Pages int    `json:"pages"`
	Text  string `json:"text"`
}

// SiteStatus is the observed state. Empty fields are written, too, so that a patch clears old values.
type SiteStatus struct {
	Pages              int    `json:"pages"`
	ObservedGeneration int64  `json:"observedGeneration"`
	Message            string `json:"message"`
}

// Group and Kind are the API group and the kind of sites.
const (
	Group = "demo.vedette.dev"
	Kind  = "Site"
)

// Resource returns the resource of sites in a group, usually Group.
func Resource(group string) gentype.Resource {
	return gentype.Resource{Group: group, Version: "v1", Kind: Kind, Plural: "sites"}
}

// GVR returns the same for dynamic clients.
func GVR(r gentype.Resource) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Plural}
}

// Reference returns a reference to the site, for events.
func (s *Site) Reference(r gentype.Resource) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		APIVersion: r.Group + "/" + r.Version, Kind: r.Kind,
		Namespace: s.Namespace, Name: s.Name, UID: s.UID, ResourceVersion: s.ResourceVersion,
	}
}

// OwnerReference returns an owner reference to the site.
func (s *Site) OwnerReference(r gentype.Resource) metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{
		APIVersion: r.Group + "/" + r.Version, Kind: r.Kind,
		Name: s.Name, UID: s.UID, Controller: &yes, BlockOwnerDeletion: &yes,
	}
}

// Of returns the UID of the site of a page, or "" if the config map is not a page.
func Of(page metav1.Object) types.UID {
	if ref := metav1.GetControllerOf(page); ref != nil && ref.Kind == Kind {
		return ref.UID
	}
	return ""
}
