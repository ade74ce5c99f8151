package testing

import (
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/yaml"

	"vedette.dev/apitest"
	"vedette.dev/internal/tracker"
)

// ObjectScheme creates objects, and returns their kinds.
type ObjectScheme interface {
	runtime.ObjectCreater
	runtime.ObjectTyper
}

// NewObjectTracker returns a tracker for the objects of a scheme: an API server in this process that stores all objects
// unchanged, and sets no UID, version or creation timestamp. The decoder is not used.
func NewObjectTracker(scheme ObjectScheme, _ runtime.Decoder) ObjectTracker {
	t := tracker.New(apitest.Config{Untyped: true, Unversioned: true}, scheme)
	if all, ok := scheme.(interface {
		AllKnownTypes() map[schema.GroupVersionKind]reflect.Type
	}); ok {
		t.ServeAll(all)
	}
	return t
}

// NewFieldManagedObjectTracker is NewObjectTracker. All trackers support server-side apply. The structure of lists is
// derived from the objects; the type converter is not used.
func NewFieldManagedObjectTracker(scheme *runtime.Scheme, decoder runtime.Decoder, _ managedfields.TypeConverter) ObjectTracker {
	return NewObjectTracker(scheme, decoder)
}

// ObjectReaction answers actions with the objects of a tracker. It does not handle watches and the deletion of
// collections.
func ObjectReaction(tracker ObjectTracker) ReactionFunc {
	return func(action Action) (bool, runtime.Object, error) {
		obj, err := react(tracker, action)
		if err == errNoReaction {
			return false, nil, fmt.Errorf("no reaction to the action %#v", action)
		}
		return true, obj, err
	}
}

var errNoReaction = errors.New("no reaction")

func react(t ObjectTracker, action Action) (runtime.Object, error) {
	gvr, ns := action.GetResource(), action.GetNamespace()
	switch a := action.(type) {
	case ListActionImpl:
		return t.List(gvr, a.Kind, ns, a.ListOptions)
	case GetActionImpl:
		return t.Get(gvr, ns, a.Name, a.GetOptions)
	case DeleteActionImpl:
		return nil, t.Delete(gvr, ns, a.Name, a.DeleteOptions)
	case CreateActionImpl:
		return created(t, a)
	case UpdateActionImpl:
		return stored(t, a, a.Object, t.Update(gvr, a.Object, ns, a.UpdateOptions))
	case PatchActionImpl:
		return patched(t, a)
	}
	return nil, errNoReaction
}

// created returns the stored object. What is created in a subresource is not stored.
func created(t ObjectTracker, a CreateActionImpl) (runtime.Object, error) {
	if a.Subresource != "" {
		return a.Object, nil
	}
	return stored(t, a, a.Object, t.Create(a.Resource, a.Object, a.Namespace, a.CreateOptions))
}

func stored(t ObjectTracker, action Action, obj runtime.Object, err error) (runtime.Object, error) {
	if err != nil {
		return nil, err
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	return t.Get(action.GetResource(), action.GetNamespace(), m.GetName())
}

// patched applies a patch to an object of the tracker.
func patched(t ObjectTracker, a PatchActionImpl) (runtime.Object, error) {
	if a.PatchType == types.ApplyYAMLPatchType {
		applied := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(a.Patch, &applied.Object); err != nil {
			return nil, err
		}
		applied.SetName(a.Name)
		return stored(t, a, applied, t.Apply(a.Resource, applied, a.Namespace, a.PatchOptions))
	}
	obj, err := t.Get(a.Resource, a.Namespace, a.Name)
	if err != nil {
		return nil, err
	}
	if obj, err = patch(obj, a.PatchType, a.Patch); err != nil {
		return nil, err
	}
	return stored(t, a, obj, t.Patch(a.Resource, obj, a.Namespace, a.PatchOptions))
}
