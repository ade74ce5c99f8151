package testing

import (
	"fmt"
	"path"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Target is what an action is for. An empty namespace is for objects without one, or for all namespaces.
type Target struct {
	Resource    schema.GroupVersionResource
	Namespace   string
	Subresource string
}

func (t Target) action(verb string) ActionImpl {
	return ActionImpl{Verb: verb, Resource: t.Resource, Namespace: t.Namespace, Subresource: t.Subresource}
}

// Get reads an object.
func (t Target) Get(name string, opts metav1.GetOptions) GetActionImpl {
	return GetActionImpl{ActionImpl: t.action("get"), Name: name, GetOptions: opts}
}

// List reads a list of objects of the kind.
func (t Target) List(kind schema.GroupVersionKind, opts metav1.ListOptions) ListActionImpl {
	return ListActionImpl{ActionImpl: t.action("list"), Kind: kind, ListRestrictions: restrictions(opts), ListOptions: opts}
}

// Create creates an object; name is that in the path of a subresource.
func (t Target) Create(name string, object runtime.Object, opts metav1.CreateOptions) CreateActionImpl {
	return CreateActionImpl{ActionImpl: t.action("create"), Name: name, Object: object, CreateOptions: opts}
}

// Update replaces an object.
func (t Target) Update(object runtime.Object, opts metav1.UpdateOptions) UpdateActionImpl {
	return UpdateActionImpl{ActionImpl: t.action("update"), Object: object, UpdateOptions: opts}
}

// Patch changes an object. The subresources replace the one of the target.
func (t Target) Patch(name string, pt types.PatchType, patch []byte, opts metav1.PatchOptions, subresources ...string) PatchActionImpl {
	t.Subresource = path.Join(subresources...)
	return PatchActionImpl{ActionImpl: t.action("patch"), Name: name, PatchType: pt, Patch: patch, PatchOptions: opts}
}

// Delete deletes an object.
func (t Target) Delete(name string, opts metav1.DeleteOptions) DeleteActionImpl {
	return DeleteActionImpl{ActionImpl: t.action("delete"), Name: name, DeleteOptions: opts}
}

// DeleteCollection deletes the objects that listOpts selects.
func (t Target) DeleteCollection(deleteOpts metav1.DeleteOptions, listOpts metav1.ListOptions) DeleteCollectionActionImpl {
	return DeleteCollectionActionImpl{ActionImpl: t.action("delete-collection"),
		ListRestrictions: restrictions(listOpts), DeleteOptions: deleteOpts, ListOptions: listOpts}
}

// Watch watches the objects that opts selects.
func (t Target) Watch(opts metav1.ListOptions) WatchActionImpl {
	l, f, version := ExtractFromListOptions(opts)
	return WatchActionImpl{ActionImpl: t.action("watch"), ListOptions: opts,
		WatchRestrictions: WatchRestrictions{Labels: l, Fields: f, ResourceVersion: version}}
}

// ExtractFromListOptions parses the selectors of a metav1.ListOptions. It panics if they cannot be parsed.
func ExtractFromListOptions(opts any) (labelSelector labels.Selector, fieldSelector fields.Selector, resourceVersion string) {
	o, ok := opts.(metav1.ListOptions)
	if !ok {
		panic(fmt.Sprintf("testing: the options of a list are a %T, not a metav1.ListOptions", opts))
	}
	labelSelector, err := labels.Parse(o.LabelSelector)
	if err != nil {
		panic(fmt.Sprintf("testing: label selector %q: %v", o.LabelSelector, err))
	}
	fieldSelector, err = fields.ParseSelector(o.FieldSelector)
	if err != nil {
		panic(fmt.Sprintf("testing: field selector %q: %v", o.FieldSelector, err))
	}
	return labelSelector, fieldSelector, o.ResourceVersion
}

func restrictions(opts metav1.ListOptions) ListRestrictions {
	l, f, _ := ExtractFromListOptions(opts)
	return ListRestrictions{Labels: l, Fields: f}
}
