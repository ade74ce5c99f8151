package testing

import (
	"bytes"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// GenericActionImpl is a GenericAction.
type GenericActionImpl struct {
	ActionImpl
	Value any
}

// GetValue implements GenericAction.
func (a GenericActionImpl) GetValue() any { return a.Value }

// DeepCopy implements Action. The value is shared.
func (a GenericActionImpl) DeepCopy() Action { return a }

// GetActionImpl is a GetAction.
type GetActionImpl struct {
	ActionImpl
	Name       string
	GetOptions metav1.GetOptions
}

// GetName implements GetAction.
func (a GetActionImpl) GetName() string { return a.Name }

// GetGetOptions returns the options.
func (a GetActionImpl) GetGetOptions() metav1.GetOptions { return a.GetOptions }

// DeepCopy implements Action.
func (a GetActionImpl) DeepCopy() Action {
	a.GetOptions = *a.GetOptions.DeepCopy()
	return a
}

// ListActionImpl is a ListAction. Kind is that of an object in the list.
type ListActionImpl struct {
	ActionImpl
	Kind             schema.GroupVersionKind
	Name             string
	ListRestrictions ListRestrictions
	ListOptions      metav1.ListOptions
}

// GetKind returns the kind of an object in the list.
func (a ListActionImpl) GetKind() schema.GroupVersionKind { return a.Kind }

// GetListRestrictions implements ListAction.
func (a ListActionImpl) GetListRestrictions() ListRestrictions { return a.ListRestrictions }

// GetListOptions returns the options.
func (a ListActionImpl) GetListOptions() metav1.ListOptions { return a.ListOptions }

// DeepCopy implements Action.
func (a ListActionImpl) DeepCopy() Action {
	a.ListRestrictions.Labels, a.ListRestrictions.Fields = copyLabels(a.ListRestrictions.Labels), copyFields(a.ListRestrictions.Fields)
	a.ListOptions = *a.ListOptions.DeepCopy()
	return a
}

// CreateActionImpl is a CreateAction. Name is that in the path of a subresource.
type CreateActionImpl struct {
	ActionImpl
	Name          string
	Object        runtime.Object
	CreateOptions metav1.CreateOptions
}

// GetObject implements CreateAction.
func (a CreateActionImpl) GetObject() runtime.Object { return a.Object }

// GetCreateOptions returns the options.
func (a CreateActionImpl) GetCreateOptions() metav1.CreateOptions { return a.CreateOptions }

// DeepCopy implements Action.
func (a CreateActionImpl) DeepCopy() Action {
	a.Object, a.CreateOptions = copyObject(a.Object), *a.CreateOptions.DeepCopy()
	return a
}

// UpdateActionImpl is an UpdateAction.
type UpdateActionImpl struct {
	ActionImpl
	Object        runtime.Object
	UpdateOptions metav1.UpdateOptions
}

// GetObject implements UpdateAction.
func (a UpdateActionImpl) GetObject() runtime.Object { return a.Object }

// GetUpdateOptions returns the options.
func (a UpdateActionImpl) GetUpdateOptions() metav1.UpdateOptions { return a.UpdateOptions }

// DeepCopy implements Action.
func (a UpdateActionImpl) DeepCopy() Action {
	a.Object, a.UpdateOptions = copyObject(a.Object), *a.UpdateOptions.DeepCopy()
	return a
}

// PatchActionImpl is a PatchAction.
type PatchActionImpl struct {
	ActionImpl
	Name         string
	PatchType    types.PatchType
	Patch        []byte
	PatchOptions metav1.PatchOptions
}

// GetName implements PatchAction.
func (a PatchActionImpl) GetName() string { return a.Name }

// GetPatch implements PatchAction.
func (a PatchActionImpl) GetPatch() []byte { return a.Patch }

// GetPatchType implements PatchAction.
func (a PatchActionImpl) GetPatchType() types.PatchType { return a.PatchType }

// GetPatchOptions returns the options.
func (a PatchActionImpl) GetPatchOptions() metav1.PatchOptions { return a.PatchOptions }

// DeepCopy implements Action.
func (a PatchActionImpl) DeepCopy() Action {
	a.Patch, a.PatchOptions = bytes.Clone(a.Patch), *a.PatchOptions.DeepCopy()
	return a
}

// DeleteActionImpl is a DeleteAction.
type DeleteActionImpl struct {
	ActionImpl
	Name          string
	DeleteOptions metav1.DeleteOptions
}

// GetName implements DeleteAction.
func (a DeleteActionImpl) GetName() string { return a.Name }

// GetDeleteOptions implements DeleteAction.
func (a DeleteActionImpl) GetDeleteOptions() metav1.DeleteOptions { return a.DeleteOptions }

// DeepCopy implements Action.
func (a DeleteActionImpl) DeepCopy() Action {
	a.DeleteOptions = *a.DeleteOptions.DeepCopy()
	return a
}

// DeleteCollectionActionImpl is a DeleteCollectionAction.
type DeleteCollectionActionImpl struct {
	ActionImpl
	ListRestrictions ListRestrictions
	DeleteOptions    metav1.DeleteOptions
	ListOptions      metav1.ListOptions
}

// GetListRestrictions implements DeleteCollectionAction.
func (a DeleteCollectionActionImpl) GetListRestrictions() ListRestrictions { return a.ListRestrictions }

// GetDeleteOptions returns the options of the deletion.
func (a DeleteCollectionActionImpl) GetDeleteOptions() metav1.DeleteOptions { return a.DeleteOptions }

// GetListOptions returns the options of the selection.
func (a DeleteCollectionActionImpl) GetListOptions() metav1.ListOptions { return a.ListOptions }

// DeepCopy implements Action.
func (a DeleteCollectionActionImpl) DeepCopy() Action {
	a.ListRestrictions.Labels, a.ListRestrictions.Fields = copyLabels(a.ListRestrictions.Labels), copyFields(a.ListRestrictions.Fields)
	a.DeleteOptions, a.ListOptions = *a.DeleteOptions.DeepCopy(), *a.ListOptions.DeepCopy()
	return a
}

// WatchActionImpl is a WatchAction.
type WatchActionImpl struct {
	ActionImpl
	WatchRestrictions WatchRestrictions
	ListOptions       metav1.ListOptions
}

// GetWatchRestrictions implements WatchAction.
func (a WatchActionImpl) GetWatchRestrictions() WatchRestrictions { return a.WatchRestrictions }

// GetListOptions returns the options.
func (a WatchActionImpl) GetListOptions() metav1.ListOptions { return a.ListOptions }

// DeepCopy implements Action.
func (a WatchActionImpl) DeepCopy() Action {
	a.WatchRestrictions.Labels, a.WatchRestrictions.Fields = copyLabels(a.WatchRestrictions.Labels), copyFields(a.WatchRestrictions.Fields)
	a.ListOptions = *a.ListOptions.DeepCopy()
	return a
}

// ProxyGetActionImpl is a ProxyGetAction.
type ProxyGetActionImpl struct {
	ActionImpl
	Scheme string
	Name   string
	Port   string
	Path   string
	Params map[string]string
}

// GetScheme implements ProxyGetAction.
func (a ProxyGetActionImpl) GetScheme() string { return a.Scheme }

// GetName implements ProxyGetAction.
func (a ProxyGetActionImpl) GetName() string { return a.Name }

// GetPort implements ProxyGetAction.
func (a ProxyGetActionImpl) GetPort() string { return a.Port }

// GetPath implements ProxyGetAction.
func (a ProxyGetActionImpl) GetPath() string { return a.Path }

// GetParams implements ProxyGetAction.
func (a ProxyGetActionImpl) GetParams() map[string]string { return a.Params }

// DeepCopy implements Action.
func (a ProxyGetActionImpl) DeepCopy() Action {
	a.Params = maps.Clone(a.Params)
	return a
}

func copyObject(obj runtime.Object) runtime.Object {
	if obj == nil {
		return nil
	}
	return obj.DeepCopyObject()
}

func copyLabels(s labels.Selector) labels.Selector {
	if s == nil {
		return nil
	}
	return s.DeepCopySelector()
}

func copyFields(s fields.Selector) fields.Selector {
	if s == nil {
		return nil
	}
	return s.DeepCopySelector()
}
