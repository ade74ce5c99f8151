package cache

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"vedette.dev/internal/object"
)

// NewInformerView returns an informer that shows the objects of another informer of this package in another form: typed
// objects as unstructured ones, unstructured ones as typed ones, and both as metadata only. So the parts of a program
// that need a kind in different forms share one watch and one copy of the objects.
//
// The form is the type of as, a pointer to a Go type, to an unstructured.Unstructured or to a
// metav1.PartialObjectMetadata; the latter two must have their kind set. Objects are converted when they are read, and
// belong to the reader, except for the maps and lists of metadata. A view has handlers and indexes, whose functions are
// given the objects in its form; the names of indexes are shared with the informer. It runs while the informer does:
// its own Run only waits.
func NewInformerView(informer SharedIndexInformer, as runtime.Object) (SharedIndexInformer, error) {
	behind, ok := informer.GetIndexer().(*cache)
	if !ok {
		return nil, fmt.Errorf("cache: NewInformerView does not support a %T", informer)
	}
	decode, err := decoderFor(as)
	if err != nil {
		return nil, err
	}
	v := &informerView{SharedIndexInformer: informer, decode: decode}
	v.indexer = &cache{table: behind.table, keyFunc: behind.keyFunc, decode: decode, converts: true}
	return v, nil
}

// informerView is an informer whose objects are converted.
type informerView struct {
	SharedIndexInformer
	decode  decoder
	indexer *cache
}

var _ StateReader = (*informerView)(nil)

// State returns the state of the informer.
func (v *informerView) State() State { return StateOf(v.SharedIndexInformer) }

var errView = errors.New("cache: not supported by a view; set it on the informer")

// SetTransform returns an error.
func (v *informerView) SetTransform(TransformFunc) error { return errView }

func (v *informerView) GetStore() Store { return v.indexer }

func (v *informerView) GetIndexer() Indexer { return v.indexer }

// Run waits until the channel is closed.
func (v *informerView) Run(stopCh <-chan struct{}) { v.RunWithContext(wait.ContextForChannel(stopCh)) }

// RunWithContext waits until the context ends.
func (v *informerView) RunWithContext(ctx context.Context) { <-ctx.Done() }

func (v *informerView) AddIndexers(indexers Indexers) error {
	shown := make(Indexers, len(indexers))
	for name, f := range indexers {
		if f.decodesItself() {
			shown[name] = f
			continue
		}
		shown[name] = func(obj any) ([]string, error) {
			obj, err := v.decode(obj, object.ForIndexFunc)
			if err != nil {
				return nil, err
			}
			return f(obj)
		}
	}
	return v.SharedIndexInformer.AddIndexers(shown)
}

func (v *informerView) AddEventHandler(h ResourceEventHandler) (ResourceEventHandlerRegistration, error) {
	return v.SharedIndexInformer.AddEventHandler(viewHandler{h, v.decode})
}

func (v *informerView) AddEventHandlerWithResyncPeriod(h ResourceEventHandler, period time.Duration) (ResourceEventHandlerRegistration, error) {
	return v.SharedIndexInformer.AddEventHandlerWithResyncPeriod(viewHandler{h, v.decode}, period)
}

func (v *informerView) AddEventHandlerWithOptions(h ResourceEventHandler, options HandlerOptions) (ResourceEventHandlerRegistration, error) {
	return v.SharedIndexInformer.AddEventHandlerWithOptions(viewHandler{h, v.decode}, options)
}

// viewHandler calls a handler with objects in the form of the view. It is lazy, so that objects are converted only if
// the wrapped handler needs them.
type viewHandler struct {
	ResourceEventHandler
	decode decoder
}

func (h viewHandler) handlerType() string { return handlerType(h.ResourceEventHandler) }

// OnEvent implements LazyEventHandler.
func (h viewHandler) OnEvent(e LazyEvent) {
	e.decode = h.decode
	e.deliver(h.ResourceEventHandler)
}

// decoderFor returns the decoder that converts stored objects to a form.
func decoderFor(as runtime.Object) (decoder, error) {
	gvk := as.GetObjectKind().GroupVersionKind()
	switch as.(type) {
	case *metav1.PartialObjectMetadata:
		if gvk.Empty() {
			return nil, errors.New("cache: NewInformerView: the PartialObjectMetadata has no kind")
		}
		return func(stored any, use object.Use) (any, error) { return toMetadata(stored, gvk, use) }, nil
	case *unstructured.Unstructured:
		if gvk.Empty() {
			return nil, errors.New("cache: NewInformerView: the unstructured object has no kind")
		}
		return func(stored any, use object.Use) (any, error) { return toUnstructured(stored, gvk, use) }, nil
	}
	t := reflect.TypeOf(as)
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("cache: NewInformerView cannot convert objects to a %T", as)
	}
	return func(stored any, use object.Use) (any, error) { return toTyped(stored, t, use) }, nil
}

func toMetadata(stored any, gvk schema.GroupVersionKind, use object.Use) (any, error) {
	out := &metav1.PartialObjectMetadata{}
	if r, ok := stored.(object.AtRest); ok {
		m, err := r.Metadata(use)
		if err != nil {
			return nil, err
		}
		out = m
	} else {
		m, err := object.Meta(stored)
		if err != nil {
			return nil, err
		}
		out.ObjectMeta = *metaStruct(m)
	}
	out.SetGroupVersionKind(gvk)
	return out, nil
}

// metaStruct returns metadata as a struct. Its maps and lists are shared with the object.
func metaStruct(m metav1.Object) *metav1.ObjectMeta {
	if a, ok := m.(metav1.ObjectMetaAccessor); ok {
		if own, ok := a.GetObjectMeta().(*metav1.ObjectMeta); ok {
			return own
		}
	}
	return &metav1.ObjectMeta{
		Name: m.GetName(), GenerateName: m.GetGenerateName(), Namespace: m.GetNamespace(), UID: m.GetUID(),
		ResourceVersion: m.GetResourceVersion(), Generation: m.GetGeneration(), CreationTimestamp: m.GetCreationTimestamp(),
		DeletionTimestamp: m.GetDeletionTimestamp(), DeletionGracePeriodSeconds: m.GetDeletionGracePeriodSeconds(),
		Labels: m.GetLabels(), Annotations: m.GetAnnotations(), OwnerReferences: m.GetOwnerReferences(),
		Finalizers: m.GetFinalizers(), ManagedFields: m.GetManagedFields(),
	}
}

func toUnstructured(stored any, gvk schema.GroupVersionKind, use object.Use) (any, error) {
	if r, ok := stored.(object.AtRest); ok {
		out := &unstructured.Unstructured{}
		if ok, err := r.IntoAny(out, use); ok {
			if err == nil {
				out.SetGroupVersionKind(gvk)
			}
			return out, err
		}
	}
	typed, err := object.Shared(stored, use)
	if err != nil {
		return nil, err
	}
	if u, ok := typed.(*unstructured.Unstructured); ok {
		return u.DeepCopy(), nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		return nil, fmt.Errorf("cannot convert a %T to an unstructured object: %w", typed, err)
	}
	out := &unstructured.Unstructured{Object: content}
	out.SetGroupVersionKind(gvk)
	return out, nil
}

func toTyped(stored any, t reflect.Type, use object.Use) (any, error) {
	obj, err := object.Shared(stored, use)
	if err != nil {
		return nil, err
	}
	if reflect.TypeOf(obj) == t {
		if o, ok := obj.(runtime.Object); ok {
			return o.DeepCopyObject(), nil
		}
	}
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("cannot convert a %T to a %v", obj, t)
	}
	out := reflect.New(t.Elem()).Interface()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, out); err != nil {
		return nil, fmt.Errorf("cannot convert an unstructured object to a %v: %w", t, err)
	}
	return out, nil
}
