package gentype

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/testing"
)

// FakeClient is the Client of a fake clientset of client-gen: each request is an action of a *testing.Fake of package
// vedette.dev/testing.
type FakeClient[T objectWithMeta] struct {
	*testing.Fake
	namespace string
	resource  schema.GroupVersionResource
	kind      schema.GroupVersionKind
	newObject func() T
}

// FakeClientWithList is a FakeClient with lists.
type FakeClientWithList[T objectWithMeta, L runtime.Object] struct {
	*FakeClient[T]
	alsoFakeLister[T, L]
}

// FakeClientWithApply is a FakeClient with server-side apply.
type FakeClientWithApply[T objectWithMeta, C namedObject] struct {
	*FakeClient[T]
	alsoFakeApplier[T, C]
}

// FakeClientWithListAndApply is a FakeClient with lists and server-side apply.
type FakeClientWithListAndApply[T objectWithMeta, L runtime.Object, C namedObject] struct {
	*FakeClient[T]
	alsoFakeLister[T, L]
	alsoFakeApplier[T, C]
}

type alsoFakeLister[T objectWithMeta, L runtime.Object] struct {
	client       *FakeClient[T]
	newList      func() L
	copyListMeta func(L, L)
	getItems     func(L) []T
	setItems     func(L, []T)
}

type alsoFakeApplier[T objectWithMeta, C namedObject] struct {
	client *FakeClient[T]
}

// NewFakeClient returns a fake client without lists and apply. An empty namespace means all of them, or that the
// resource is cluster-scoped.
func NewFakeClient[T objectWithMeta](fake *testing.Fake, namespace string, resource schema.GroupVersionResource,
	kind schema.GroupVersionKind, emptyObjectCreator func() T) *FakeClient[T] {
	return &FakeClient[T]{fake, namespace, resource, kind, emptyObjectCreator}
}

// NewFakeClientWithList is like NewFakeClient, with lists. listMetaCopier copies the metadata of its second argument to
// the first; itemGetter and itemSetter read and replace the objects of a list.
func NewFakeClientWithList[T objectWithMeta, L runtime.Object](fake *testing.Fake, namespace string, resource schema.GroupVersionResource,
	kind schema.GroupVersionKind, emptyObjectCreator func() T, emptyListCreator func() L,
	listMetaCopier func(L, L), itemGetter func(L) []T, itemSetter func(L, []T)) *FakeClientWithList[T, L] {
	c := NewFakeClient(fake, namespace, resource, kind, emptyObjectCreator)
	return &FakeClientWithList[T, L]{c, alsoFakeLister[T, L]{c, emptyListCreator, listMetaCopier, itemGetter, itemSetter}}
}

// NewFakeClientWithApply is like NewFakeClient, with server-side apply.
func NewFakeClientWithApply[T objectWithMeta, C namedObject](fake *testing.Fake, namespace string, resource schema.GroupVersionResource,
	kind schema.GroupVersionKind, emptyObjectCreator func() T) *FakeClientWithApply[T, C] {
	c := NewFakeClient(fake, namespace, resource, kind, emptyObjectCreator)
	return &FakeClientWithApply[T, C]{c, alsoFakeApplier[T, C]{c}}
}

// NewFakeClientWithListAndApply is like NewFakeClientWithList, with server-side apply.
func NewFakeClientWithListAndApply[T objectWithMeta, L runtime.Object, C namedObject](fake *testing.Fake, namespace string,
	resource schema.GroupVersionResource, kind schema.GroupVersionKind, emptyObjectCreator func() T, emptyListCreator func() L,
	listMetaCopier func(L, L), itemGetter func(L) []T, itemSetter func(L, []T)) *FakeClientWithListAndApply[T, L, C] {
	c := NewFakeClientWithList(fake, namespace, resource, kind, emptyObjectCreator, emptyListCreator, listMetaCopier, itemGetter, itemSetter)
	return &FakeClientWithListAndApply[T, L, C]{c.FakeClient, c.alsoFakeLister, alsoFakeApplier[T, C]{c.FakeClient}}
}

// Namespace returns the namespace of the client.
func (c *FakeClient[T]) Namespace() string { return c.namespace }

// Kind returns the kind of the objects.
func (c *FakeClient[T]) Kind() schema.GroupVersionKind { return c.kind }

// Resource returns the resource of the client.
func (c *FakeClient[T]) Resource() schema.GroupVersionResource { return c.resource }

// Create creates an object, and returns the stored object.
func (c *FakeClient[T]) Create(_ context.Context, obj T, opts metav1.CreateOptions) (T, error) {
	return c.invoke(c.target("").Create("", obj, opts))
}

// Update replaces the object of the same name.
func (c *FakeClient[T]) Update(_ context.Context, obj T, opts metav1.UpdateOptions) (T, error) {
	return c.invoke(c.target("").Update(obj, opts))
}

// UpdateStatus replaces the status of the object of the same name.
func (c *FakeClient[T]) UpdateStatus(_ context.Context, obj T, opts metav1.UpdateOptions) (T, error) {
	return c.invoke(c.target("status").Update(obj, opts))
}

// Delete deletes the object.
func (c *FakeClient[T]) Delete(_ context.Context, name string, opts metav1.DeleteOptions) error {
	_, err := c.Fake.Invokes(c.target("").Delete(name, opts), c.newObject())
	return err
}

// Get reads the object of that name.
func (c *FakeClient[T]) Get(_ context.Context, name string, opts metav1.GetOptions) (T, error) {
	return c.invoke(c.target("").Get(name, opts))
}

// Watch watches the objects that opts selects.
func (c *FakeClient[T]) Watch(_ context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	opts.Watch = true
	return c.Fake.InvokesWatch(c.target("").Watch(opts))
}

// Patch sends a patch of the given kind, to the object or to one of its subresources.
func (c *FakeClient[T]) Patch(_ context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (T, error) {
	return c.invoke(c.target("").Patch(name, pt, data, opts, subresources...))
}

// List returns the objects that opts selects. A reactor may return objects that the labels in opts do not select:
// these are left out.
func (l *alsoFakeLister[T, L]) List(_ context.Context, opts metav1.ListOptions) (L, error) {
	c := l.client
	action := c.target("").List(c.kind, opts)
	obj, err := c.Fake.Invokes(action, l.newList())
	if obj == nil {
		return l.newList(), err
	}
	all, ok := obj.(L)
	if !ok {
		return l.newList(), unexpected(action, obj, err)
	}
	list := l.newList()
	l.copyListMeta(list, all)
	var items []T
	for _, item := range l.getItems(all) {
		if action.ListRestrictions.Labels.Matches(labels.Set(item.GetLabels())) {
			items = append(items, item)
		}
	}
	l.setItems(list, items)
	return list, err
}

// DeleteCollection deletes all the objects that listOpts selects.
func (l *alsoFakeLister[T, L]) DeleteCollection(_ context.Context, opts metav1.DeleteOptions, listOpts metav1.ListOptions) error {
	_, err := l.client.Fake.Invokes(l.client.target("").DeleteCollection(opts, listOpts), l.newList())
	return err
}

// Apply applies configuration with server-side apply, as the field manager in opts.
func (a *alsoFakeApplier[T, C]) Apply(_ context.Context, configuration C, opts metav1.ApplyOptions) (T, error) {
	return a.client.apply(configuration, opts)
}

// ApplyStatus is like Apply, for the status.
func (a *alsoFakeApplier[T, C]) ApplyStatus(_ context.Context, configuration C, opts metav1.ApplyOptions) (T, error) {
	return a.client.apply(configuration, opts, "status")
}

func (c *FakeClient[T]) apply(cfg ApplyConfiguration, opts metav1.ApplyOptions, subresources ...string) (T, error) {
	name, err := applyName(cfg)
	if err != nil {
		return *new(T), err
	}
	data, err := applyData(cfg)
	if err != nil {
		return *new(T), err
	}
	return c.invoke(c.target("").Patch(name, types.ApplyPatchType, data, opts.ToPatchOptions(), subresources...))
}

func (c *FakeClient[T]) target(subresource string) testing.Target {
	return testing.Target{Resource: c.resource, Namespace: c.namespace, Subresource: subresource}
}

// invoke returns what the reactors return, or an empty object in place of none.
func (c *FakeClient[T]) invoke(action testing.Action) (T, error) {
	obj, err := c.Fake.Invokes(action, c.newObject())
	if obj == nil {
		return c.newObject(), err
	}
	if result, ok := obj.(T); ok {
		return result, err
	}
	return c.newObject(), unexpected(action, obj, err)
}
