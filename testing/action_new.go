package testing

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/testing"
)

type resource = schema.GroupVersionResource

// Each function here makes an action. Those with Root in their names are for objects without a namespace.

func target(r resource, namespace, subresource string) testing.Target {
	return testing.Target{Resource: r, Namespace: namespace, Subresource: subresource}
}

// ExtractFromListOptions parses the selectors of a metav1.ListOptions. It panics if they cannot be parsed.
func ExtractFromListOptions(opts any) (labelSelector labels.Selector, fieldSelector fields.Selector, resourceVersion string) {
	return testing.ExtractFromListOptions(opts)
}

// selectors are the options that older forms of the constructors keep.
func selectors(opts any) metav1.ListOptions {
	l, f, _ := ExtractFromListOptions(opts)
	return metav1.ListOptions{LabelSelector: l.String(), FieldSelector: f.String()}
}

func orEmpty(opts any) metav1.ListOptions {
	o, _ := opts.(metav1.ListOptions)
	return o
}

// NewGetAction reads an object.
func NewGetAction(r resource, namespace, name string) GetActionImpl {
	return NewGetActionWithOptions(r, namespace, name, metav1.GetOptions{})
}

// NewGetActionWithOptions reads an object.
func NewGetActionWithOptions(r resource, namespace, name string, opts metav1.GetOptions) GetActionImpl {
	return NewGetSubresourceActionWithOptions(r, namespace, "", name, opts)
}

// NewGetSubresourceAction reads a subresource.
func NewGetSubresourceAction(r resource, namespace, subresource, name string) GetActionImpl {
	return NewGetSubresourceActionWithOptions(r, namespace, subresource, name, metav1.GetOptions{})
}

// NewGetSubresourceActionWithOptions reads a subresource.
func NewGetSubresourceActionWithOptions(r resource, namespace, subresource, name string, opts metav1.GetOptions) GetActionImpl {
	return target(r, namespace, subresource).Get(name, opts)
}

// NewRootGetAction reads an object.
func NewRootGetAction(r resource, name string) GetActionImpl {
	return NewGetAction(r, "", name)
}

// NewRootGetActionWithOptions reads an object.
func NewRootGetActionWithOptions(r resource, name string, opts metav1.GetOptions) GetActionImpl {
	return NewGetActionWithOptions(r, "", name, opts)
}

// NewRootGetSubresourceAction reads a subresource.
func NewRootGetSubresourceAction(r resource, subresource, name string) GetActionImpl {
	return NewGetSubresourceAction(r, "", subresource, name)
}

// NewRootGetSubresourceActionWithOptions reads a subresource.
func NewRootGetSubresourceActionWithOptions(r resource, subresource, name string, opts metav1.GetOptions) GetActionImpl {
	return NewGetSubresourceActionWithOptions(r, "", subresource, name, opts)
}

// NewListAction reads a list. Of the options, the selectors count.
func NewListAction(r resource, kind schema.GroupVersionKind, namespace string, opts any) ListActionImpl {
	return NewListActionWithOptions(r, kind, namespace, selectors(opts))
}

// NewListActionWithOptions reads a list.
func NewListActionWithOptions(r resource, kind schema.GroupVersionKind, namespace string, opts metav1.ListOptions) ListActionImpl {
	return target(r, namespace, "").List(kind, opts)
}

// NewRootListAction reads a list. Of the options, the selectors count.
func NewRootListAction(r resource, kind schema.GroupVersionKind, opts any) ListActionImpl {
	return NewListAction(r, kind, "", opts)
}

// NewRootListActionWithOptions reads a list.
func NewRootListActionWithOptions(r resource, kind schema.GroupVersionKind, opts metav1.ListOptions) ListActionImpl {
	return NewListActionWithOptions(r, kind, "", opts)
}

// NewCreateAction returns an object.
func NewCreateAction(r resource, namespace string, object runtime.Object) CreateActionImpl {
	return NewCreateActionWithOptions(r, namespace, object, metav1.CreateOptions{})
}

// NewCreateActionWithOptions returns an object.
func NewCreateActionWithOptions(r resource, namespace string, object runtime.Object, opts metav1.CreateOptions) CreateActionImpl {
	return NewCreateSubresourceActionWithOptions(r, "", "", namespace, object, opts)
}

// NewCreateSubresourceAction writes to a subresource.
func NewCreateSubresourceAction(r resource, name, subresource, namespace string, object runtime.Object) CreateActionImpl {
	return NewCreateSubresourceActionWithOptions(r, name, subresource, namespace, object, metav1.CreateOptions{})
}

// NewCreateSubresourceActionWithOptions writes to a subresource.
func NewCreateSubresourceActionWithOptions(r resource, name, subresource, namespace string, object runtime.Object, opts metav1.CreateOptions) CreateActionImpl {
	return target(r, namespace, subresource).Create(name, object, opts)
}

// NewRootCreateAction returns an object.
func NewRootCreateAction(r resource, object runtime.Object) CreateActionImpl {
	return NewCreateAction(r, "", object)
}

// NewRootCreateActionWithOptions returns an object.
func NewRootCreateActionWithOptions(r resource, object runtime.Object, opts metav1.CreateOptions) CreateActionImpl {
	return NewCreateActionWithOptions(r, "", object, opts)
}

// NewRootCreateSubresourceAction writes to a subresource.
func NewRootCreateSubresourceAction(r resource, name, subresource string, object runtime.Object) CreateActionImpl {
	return NewCreateSubresourceAction(r, name, subresource, "", object)
}

// NewRootCreateSubresourceActionWithOptions writes to a subresource.
func NewRootCreateSubresourceActionWithOptions(r resource, name, subresource string, object runtime.Object, opts metav1.CreateOptions) CreateActionImpl {
	return NewCreateSubresourceActionWithOptions(r, name, subresource, "", object, opts)
}

// NewUpdateAction replaces an object.
func NewUpdateAction(r resource, namespace string, object runtime.Object) UpdateActionImpl {
	return NewUpdateActionWithOptions(r, namespace, object, metav1.UpdateOptions{})
}

// NewUpdateActionWithOptions replaces an object.
func NewUpdateActionWithOptions(r resource, namespace string, object runtime.Object, opts metav1.UpdateOptions) UpdateActionImpl {
	return NewUpdateSubresourceActionWithOptions(r, "", namespace, object, opts)
}

// NewUpdateSubresourceAction replaces a subresource.
func NewUpdateSubresourceAction(r resource, subresource, namespace string, object runtime.Object) UpdateActionImpl {
	return NewUpdateSubresourceActionWithOptions(r, subresource, namespace, object, metav1.UpdateOptions{})
}

// NewUpdateSubresourceActionWithOptions replaces a subresource.
func NewUpdateSubresourceActionWithOptions(r resource, subresource, namespace string, object runtime.Object, opts metav1.UpdateOptions) UpdateActionImpl {
	return target(r, namespace, subresource).Update(object, opts)
}

// NewRootUpdateAction replaces an object.
func NewRootUpdateAction(r resource, object runtime.Object) UpdateActionImpl {
	return NewUpdateAction(r, "", object)
}

// NewRootUpdateActionWithOptions replaces an object.
func NewRootUpdateActionWithOptions(r resource, object runtime.Object, opts metav1.UpdateOptions) UpdateActionImpl {
	return NewUpdateActionWithOptions(r, "", object, opts)
}

// NewRootUpdateSubresourceAction replaces a subresource.
func NewRootUpdateSubresourceAction(r resource, subresource string, object runtime.Object) UpdateActionImpl {
	return NewUpdateSubresourceAction(r, subresource, "", object)
}

// NewRootUpdateSubresourceActionWithOptions replaces a subresource.
func NewRootUpdateSubresourceActionWithOptions(r resource, subresource string, object runtime.Object, opts metav1.UpdateOptions) UpdateActionImpl {
	return NewUpdateSubresourceActionWithOptions(r, subresource, "", object, opts)
}

// NewPatchAction changes an object.
func NewPatchAction(r resource, namespace, name string, pt types.PatchType, patch []byte) PatchActionImpl {
	return NewPatchActionWithOptions(r, namespace, name, pt, patch, metav1.PatchOptions{})
}

// NewPatchActionWithOptions changes an object.
func NewPatchActionWithOptions(r resource, namespace, name string, pt types.PatchType, patch []byte, opts metav1.PatchOptions) PatchActionImpl {
	return NewPatchSubresourceActionWithOptions(r, namespace, name, pt, patch, opts)
}

// NewPatchSubresourceAction changes a subresource.
func NewPatchSubresourceAction(r resource, namespace, name string, pt types.PatchType, patch []byte, subresources ...string) PatchActionImpl {
	return NewPatchSubresourceActionWithOptions(r, namespace, name, pt, patch, metav1.PatchOptions{}, subresources...)
}

// NewPatchSubresourceActionWithOptions changes a subresource.
func NewPatchSubresourceActionWithOptions(r resource, namespace, name string, pt types.PatchType, patch []byte, opts metav1.PatchOptions, subresources ...string) PatchActionImpl {
	return target(r, namespace, "").Patch(name, pt, patch, opts, subresources...)
}

// NewRootPatchAction changes an object.
func NewRootPatchAction(r resource, name string, pt types.PatchType, patch []byte) PatchActionImpl {
	return NewPatchAction(r, "", name, pt, patch)
}

// NewRootPatchActionWithOptions changes an object.
func NewRootPatchActionWithOptions(r resource, name string, pt types.PatchType, patch []byte, opts metav1.PatchOptions) PatchActionImpl {
	return NewPatchActionWithOptions(r, "", name, pt, patch, opts)
}

// NewRootPatchSubresourceAction changes a subresource.
func NewRootPatchSubresourceAction(r resource, name string, pt types.PatchType, patch []byte, subresources ...string) PatchActionImpl {
	return NewPatchSubresourceAction(r, "", name, pt, patch, subresources...)
}

// NewRootPatchSubresourceActionWithOptions changes a subresource.
func NewRootPatchSubresourceActionWithOptions(r resource, name string, pt types.PatchType, patch []byte, opts metav1.PatchOptions, subresources ...string) PatchActionImpl {
	return NewPatchSubresourceActionWithOptions(r, "", name, pt, patch, opts, subresources...)
}

// NewDeleteAction deletes an object.
func NewDeleteAction(r resource, namespace, name string) DeleteActionImpl {
	return NewDeleteActionWithOptions(r, namespace, name, metav1.DeleteOptions{})
}

// NewDeleteActionWithOptions deletes an object.
func NewDeleteActionWithOptions(r resource, namespace, name string, opts metav1.DeleteOptions) DeleteActionImpl {
	return NewDeleteSubresourceActionWithOptions(r, "", namespace, name, opts)
}

// NewDeleteSubresourceAction deletes a subresource.
func NewDeleteSubresourceAction(r resource, subresource, namespace, name string) DeleteActionImpl {
	return NewDeleteSubresourceActionWithOptions(r, subresource, namespace, name, metav1.DeleteOptions{})
}

// NewDeleteSubresourceActionWithOptions deletes a subresource.
func NewDeleteSubresourceActionWithOptions(r resource, subresource, namespace, name string, opts metav1.DeleteOptions) DeleteActionImpl {
	return target(r, namespace, subresource).Delete(name, opts)
}

// NewRootDeleteAction deletes an object.
func NewRootDeleteAction(r resource, name string) DeleteActionImpl {
	return NewDeleteAction(r, "", name)
}

// NewRootDeleteActionWithOptions deletes an object.
func NewRootDeleteActionWithOptions(r resource, name string, opts metav1.DeleteOptions) DeleteActionImpl {
	return NewDeleteActionWithOptions(r, "", name, opts)
}

// NewRootDeleteSubresourceAction deletes a subresource.
func NewRootDeleteSubresourceAction(r resource, subresource, name string) DeleteActionImpl {
	return NewDeleteSubresourceAction(r, subresource, "", name)
}

// NewRootDeleteSubresourceActionWithOptions deletes a subresource.
func NewRootDeleteSubresourceActionWithOptions(r resource, subresource, name string, opts metav1.DeleteOptions) DeleteActionImpl {
	return NewDeleteSubresourceActionWithOptions(r, subresource, "", name, opts)
}

// NewDeleteCollectionAction deletes what is selected.
func NewDeleteCollectionAction(r resource, namespace string, opts any) DeleteCollectionActionImpl {
	return NewDeleteCollectionActionWithOptions(r, namespace, metav1.DeleteOptions{}, orEmpty(opts))
}

// NewDeleteCollectionActionWithOptions deletes what is selected.
func NewDeleteCollectionActionWithOptions(r resource, namespace string, deleteOpts metav1.DeleteOptions, listOpts metav1.ListOptions) DeleteCollectionActionImpl {
	return target(r, namespace, "").DeleteCollection(deleteOpts, listOpts)
}

// NewRootDeleteCollectionAction deletes what is selected.
func NewRootDeleteCollectionAction(r resource, opts any) DeleteCollectionActionImpl {
	return NewDeleteCollectionAction(r, "", opts)
}

// NewRootDeleteCollectionActionWithOptions deletes what is selected.
func NewRootDeleteCollectionActionWithOptions(r resource, deleteOpts metav1.DeleteOptions, listOpts metav1.ListOptions) DeleteCollectionActionImpl {
	return NewDeleteCollectionActionWithOptions(r, "", deleteOpts, listOpts)
}

// NewWatchAction follows what is selected.
func NewWatchAction(r resource, namespace string, opts any) WatchActionImpl {
	return NewWatchActionWithOptions(r, namespace, orEmpty(opts))
}

// NewWatchActionWithOptions follows what is selected.
func NewWatchActionWithOptions(r resource, namespace string, opts metav1.ListOptions) WatchActionImpl {
	return target(r, namespace, "").Watch(opts)
}

// NewRootWatchAction follows what is selected.
func NewRootWatchAction(r resource, opts any) WatchActionImpl {
	return NewWatchAction(r, "", opts)
}

// NewRootWatchActionWithOptions follows what is selected.
func NewRootWatchActionWithOptions(r resource, opts metav1.ListOptions) WatchActionImpl {
	return NewWatchActionWithOptions(r, "", opts)
}

// NewProxyGetAction reads from a pod or a service.
func NewProxyGetAction(r resource, namespace, scheme, name, port, path string, params map[string]string) ProxyGetActionImpl {
	return ProxyGetActionImpl{ActionImpl: ActionImpl{Verb: "get", Resource: r, Namespace: namespace}, Scheme: scheme, Name: name, Port: port,
		Path: path, Params: params}
}
