package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/dynamic"
)

// Tracker is the way to the objects of a server that goes past the reactors of a fake client.
type Tracker struct {
	server *apitest.Server
	client dynamic.Interface
	forms  Forms
	// typed means that the server has the Go types of the forms, so that objects are not converted on their way to it.
	typed bool

	mu      sync.Mutex
	unnamed map[schema.GroupResource]error
}

// Forms says what objects look like in Go.
type Forms interface {
	runtime.ObjectTyper
	runtime.ObjectCreater
}

// New starts a server in this process, and returns a tracker of its objects. Objects of kinds that forms do not know are
// unstructured.
func New(config apitest.Config, forms Forms) *Tracker {
	config.InProcess, config.NoControllers = true, config.Unversioned
	server, err := apitest.Start(config)
	if err != nil {
		panic(err) // the configuration is valid
	}
	client, err := dynamic.NewForConfig(server.RESTConfig())
	if err != nil {
		panic(err) // the configuration is our own
	}
	return &Tracker{server: server, client: client, forms: forms, typed: !config.Untyped, unnamed: map[schema.GroupResource]error{}}
}

// Server is where the objects are.
func (t *Tracker) Server() *apitest.Server { return t.server }

// Usable returns an error for a resource of which an object without a name was added.
func (t *Tracker) Usable(gvr schema.GroupVersionResource) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.unnamed[gvr.GroupResource()]
}

// addUnnamed notes an object that has no name. It is not an error of Add: constructors of fake clients panic if Add fails,
// and then no test of a package runs.
func (t *Tracker) addUnnamed(obj runtime.Object, m metav1.Object, gvk schema.GroupVersionKind) {
	gvr, _ := meta.UnsafeGuessKindToResource(gvk)
	text := fmt.Sprintf("fake: a %T in namespace %q was added without a name", obj, m.GetNamespace())
	if m.GetGenerateName() != "" {
		text += fmt.Sprintf(", generateName is %q", m.GetGenerateName())
	}
	if len(m.GetLabels()) > 0 {
		text += ", labels are " + labels.FormatLabels(m.GetLabels())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unnamed[gvr.GroupResource()] == nil {
		t.unnamed[gvr.GroupResource()] = errors.New(text)
	}
}

// Add stores an object as it is, or each object in a list.
func (t *Tracker) Add(obj runtime.Object) error {
	if !meta.IsListType(obj) {
		return t.add(obj)
	}
	items, err := meta.ExtractList(obj)
	if err != nil {
		return err
	}
	for i, item := range items {
		if raw, ok := item.(*runtime.Unknown); ok {
			u := &unstructured.Unstructured{}
			if err := json.Unmarshal(raw.Raw, u); err != nil {
				return fmt.Errorf("item %d: %w", i, err)
			}
			item = u
		}
		if err := t.Add(item); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	return nil
}

func (t *Tracker) add(obj runtime.Object) error {
	gvk, err := KindOf(t.forms, obj)
	if err != nil {
		return err
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return err
	}
	if m.GetName() == "" {
		t.addUnnamed(obj, m, gvk)
		return nil
	}
	t.serveKind(gvk, "")
	if t.typed {
		return t.server.Put(obj)
	}
	u, err := t.untyped(obj)
	if err != nil {
		return err
	}
	return t.server.Put(u)
}

// serve makes sure that the kind of an object is served.
func (t *Tracker) serve(u *unstructured.Unstructured, plural string) {
	t.serveKind(u.GroupVersionKind(), plural)
}

// ServeAll serves all kinds of a scheme that have lists, so that a list or watch of one that has no objects yet is
// empty, and not an error.
func (t *Tracker) ServeAll(scheme interface {
	AllKnownTypes() map[schema.GroupVersionKind]reflect.Type
}) {
	known := scheme.AllKnownTypes()
	var kinds []apitest.Kind
	for gvk := range known {
		if _, ok := known[gvk.GroupVersion().WithKind(gvk.Kind+"List")]; ok && gvk.Version != runtime.APIVersionInternal && !t.serves(gvk, "") {
			kinds = append(kinds, apitest.Kind{GroupVersionKind: gvk})
		}
	}
	t.server.Serve(kinds...)
}

func (t *Tracker) serveKind(gvk schema.GroupVersionKind, plural string) {
	if !t.serves(gvk, plural) {
		t.server.Serve(apitest.Kind{GroupVersionKind: gvk, Plural: plural})
	}
}

func (t *Tracker) serves(gvk schema.GroupVersionKind, plural string) bool {
	if plural == "" {
		guess, _ := meta.UnsafeGuessKindToResource(gvk)
		plural = guess.Resource
	}
	return t.server.Serves(gvk.GroupVersion().WithResource(plural))
}

// on is a resource in a namespace, or in none.
func (t *Tracker) on(gvr schema.GroupVersionResource, ns string) dynamic.ResourceInterface {
	return t.client.Resource(gvr).Namespace(ns)
}

// Get reads an object.
func (t *Tracker) Get(gvr schema.GroupVersionResource, ns, name string, opts ...metav1.GetOptions) (runtime.Object, error) {
	o, err := use(t, gvr, opts)
	if err != nil {
		return nil, err
	}
	if t.typed && o.ResourceVersion == "" {
		obj, err := t.server.Get(context.Background(), gvr, ns, name)
		return withoutKind(obj), err
	}
	u, err := t.on(gvr, ns).Get(context.Background(), name, o)
	if err != nil {
		return nil, err
	}
	return t.object(u)
}

// Create adds an object.
func (t *Tracker) Create(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.CreateOptions) error {
	o, err := use(t, gvr, opts)
	if err != nil {
		return err
	}
	u, err := t.untyped(obj)
	if err != nil {
		return err
	}
	t.serve(u, gvr.Resource)
	_, err = t.on(gvr, ns).Create(context.Background(), u, o)
	return err
}

// Update replaces an object.
func (t *Tracker) Update(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.UpdateOptions) error {
	o, err := use(t, gvr, opts)
	if err != nil {
		return err
	}
	u, err := t.untyped(obj)
	if err != nil {
		return err
	}
	_, err = t.on(gvr, ns).Update(context.Background(), u, o)
	return err
}

// Patch replaces an object by one that was patched.
func (t *Tracker) Patch(gvr schema.GroupVersionResource, obj runtime.Object, ns string, opts ...metav1.PatchOptions) error {
	o, err := only(opts)
	if err != nil {
		return err
	}
	return t.Update(gvr, obj, ns, metav1.UpdateOptions{DryRun: o.DryRun, FieldManager: o.FieldManager, FieldValidation: o.FieldValidation})
}

// Apply makes an object as the configuration says.
func (t *Tracker) Apply(gvr schema.GroupVersionResource, applyConfiguration runtime.Object, ns string, opts ...metav1.PatchOptions) error {
	o, err := use(t, gvr, opts)
	if err != nil {
		return err
	}
	u, err := t.untyped(applyConfiguration)
	if err != nil {
		return err
	}
	t.serve(u, gvr.Resource)
	options := metav1.ApplyOptions{DryRun: o.DryRun, FieldManager: o.FieldManager, Force: o.Force != nil && *o.Force}
	if options.FieldManager == "" {
		options.FieldManager = "default"
	}
	_, err = t.on(gvr, ns).Apply(context.Background(), u.GetName(), u, options)
	return err
}

// List reads the objects of a kind.
func (t *Tracker) List(gvr schema.GroupVersionResource, gvk schema.GroupVersionKind, ns string, opts ...metav1.ListOptions) (runtime.Object, error) {
	o, err := use(t, gvr, opts)
	if err != nil {
		return nil, err
	}
	if t.forms.Recognizes(gvk) {
		t.serveKind(gvk, gvr.Resource)
	}
	list, err := t.on(gvr, ns).List(context.Background(), o)
	if err != nil {
		return nil, err
	}
	typed, err := t.forms.New(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if _, is := typed.(runtime.Unstructured); err != nil || is {
		return list, nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.UnstructuredContent(), typed); err != nil {
		return nil, err
	}
	typed.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return typed, meta.EachListItem(typed, func(item runtime.Object) error {
		item.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		return nil
	})
}

// Delete deletes an object.
func (t *Tracker) Delete(gvr schema.GroupVersionResource, ns, name string, opts ...metav1.DeleteOptions) error {
	o, err := use(t, gvr, opts)
	if err != nil {
		return err
	}
	return t.on(gvr, ns).Delete(context.Background(), name, o)
}

// Watch follows what happens. Without options, that is what happens from now on.
func (t *Tracker) Watch(gvr schema.GroupVersionResource, ns string, opts ...metav1.ListOptions) (watch.Interface, error) {
	o, err := use(t, gvr, opts)
	if err != nil {
		return nil, err
	}
	if len(opts) == 0 {
		o.ResourceVersion = t.server.ResourceVersion()
	}
	w, err := t.on(gvr, ns).Watch(context.Background(), o)
	if err != nil {
		return nil, err
	}
	return newTypedWatch(w, t), nil
}

// use returns the options, if the resource can be used.
func use[T any](t *Tracker, gvr schema.GroupVersionResource, opts []T) (one T, err error) {
	if err := t.Usable(gvr); err != nil {
		return one, err
	}
	return only(opts)
}

// only is the one that is given, or none.
func only[T any](opts []T) (one T, err error) {
	switch len(opts) {
	case 0:
		return one, nil
	case 1:
		return opts[0], nil
	}
	return one, fmt.Errorf("%d options were given where there can be one", len(opts))
}
