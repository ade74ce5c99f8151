package testing

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Action is a request to a fake client.
type Action interface {
	GetNamespace() string
	// GetVerb is get, list, watch, create, update, patch, delete or delete-collection.
	GetVerb() string
	GetResource() schema.GroupVersionResource
	GetSubresource() string
	// Matches compares the verb and the resource, "pods" or "pods/status". Without a subresource, all subresources
	// match.
	Matches(verb, resource string) bool
	DeepCopy() Action
}

// GenericAction is for requests without an action of their own, such as reading logs.
type GenericAction interface {
	Action
	GetValue() any
}

// GetAction reads an object.
type GetAction interface {
	Action
	GetName() string
}

// ListAction reads the objects that a selector selects.
type ListAction interface {
	Action
	GetListRestrictions() ListRestrictions
}

// CreateAction creates an object.
type CreateAction interface {
	Action
	GetObject() runtime.Object
}

// UpdateAction replaces an object.
type UpdateAction interface {
	Action
	GetObject() runtime.Object
}

// DeleteAction deletes an object.
type DeleteAction interface {
	Action
	GetName() string
	GetDeleteOptions() metav1.DeleteOptions
}

// DeleteCollectionAction deletes the objects that a selector selects.
type DeleteCollectionAction interface {
	Action
	GetListRestrictions() ListRestrictions
}

// PatchAction patches an object.
type PatchAction interface {
	Action
	GetName() string
	GetPatchType() types.PatchType
	GetPatch() []byte
}

// WatchAction watches the objects that a selector selects.
type WatchAction interface {
	Action
	GetWatchRestrictions() WatchRestrictions
}

// ProxyGetAction reads from a pod or a service.
type ProxyGetAction interface {
	Action
	GetScheme() string
	GetName() string
	GetPort() string
	GetPath() string
	GetParams() map[string]string
}

// ListRestrictions are the selectors of a list.
type ListRestrictions struct {
	Labels labels.Selector
	Fields fields.Selector
}

// WatchRestrictions are the selectors of a watch, and its resource version.
type WatchRestrictions struct {
	Labels          labels.Selector
	Fields          fields.Selector
	ResourceVersion string
}

// ActionImpl is the common part of all actions.
type ActionImpl struct {
	Namespace   string
	Verb        string
	Resource    schema.GroupVersionResource
	Subresource string
}

// GetNamespace implements Action.
func (a ActionImpl) GetNamespace() string { return a.Namespace }

// GetVerb implements Action.
func (a ActionImpl) GetVerb() string { return a.Verb }

// GetResource implements Action.
func (a ActionImpl) GetResource() schema.GroupVersionResource { return a.Resource }

// GetSubresource implements Action.
func (a ActionImpl) GetSubresource() string { return a.Subresource }

// Matches implements Action. It ignores case.
func (a ActionImpl) Matches(verb, resource string) bool {
	resource, sub, hasSub := strings.Cut(resource, "/")
	return strings.EqualFold(verb, a.Verb) && strings.EqualFold(resource, a.Resource.Resource) &&
		(!hasSub || strings.EqualFold(sub, a.Subresource))
}

// DeepCopy implements Action.
func (a ActionImpl) DeepCopy() Action { return a }
