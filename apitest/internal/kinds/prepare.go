package kinds

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Operation is what a client does to an object.
type Operation int

const (
	// Create makes an object.
	Create Operation = iota
	// Update changes an object except for its status, if that is a subresource.
	Update
	// UpdateStatus changes the status alone.
	UpdateStatus
)

// Prepare brings obj into the form in which it is stored: it has the defaults, what admission adds, the right generation,
// and of what this operation may not change it has what old has.
//
// For Create, old is nil, and obj has its name, UID and creation timestamp already, since some defaults are made of them.
// For the others, both are of the same version. Whether obj may come without a resourceVersion is for the caller to decide
// before: see UpdatesUnconditionally.
func (k *Kind) Prepare(obj, old runtime.Object, op Operation) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		k.prepareUnstructured(u, asUnstructured(old), op)
		return
	}
	setDefaults(obj)
	switch op {
	case Create:
		k.resetStatus(obj)
		admit(obj)
		onCreate(obj)
	case Update:
		if k.HasStatus() {
			copyField(obj, old, "Status")
		}
		keepMetadata(obj, old)
		onUpdate(obj, old)
	case UpdateStatus:
		copyField(obj, old, "Spec")
		keepMetadata(obj, old)
		onStatusUpdate(obj, old)
	}
	k.setGeneration(obj, old, op)
}

// Default fills in what the object does not say, as the real server does when it decodes one. Prepare does it too.
func (k *Kind) Default(obj runtime.Object) {
	u, ok := obj.(*unstructured.Unstructured)
	switch {
	case !ok:
		setDefaults(obj)
	case k.custom != nil && u.Object != nil:
		k.custom.schema.setDefaults(u.Object)
	}
}

func asUnstructured(obj runtime.Object) *unstructured.Unstructured {
	u, _ := obj.(*unstructured.Unstructured)
	return u
}

// resetStatus takes away what the creator has no say in. Nodes are the exception: the kubelet writes both at once.
func (k *Kind) resetStatus(obj runtime.Object) {
	if _, isNode := obj.(*corev1.Node); isNode || !k.HasStatus() {
		return
	}
	if status := structOf(obj).FieldByName("Status"); status.IsValid() {
		status.SetZero()
	}
}

// keepMetadata is what no client may change, and needs no error either.
func keepMetadata(obj, old runtime.Object) {
	now, err := meta.Accessor(obj)
	if err != nil {
		return
	}
	before, err := meta.Accessor(old)
	if err != nil {
		return
	}
	if now.GetUID() == "" {
		now.SetUID(before.GetUID())
	}
	if now.GetResourceVersion() == "" {
		now.SetResourceVersion(before.GetResourceVersion())
	}
	if created := before.GetCreationTimestamp(); !created.IsZero() {
		now.SetCreationTimestamp(created)
	}
	if deleted := before.GetDeletionTimestamp(); deleted != nil {
		now.SetDeletionTimestamp(deleted)
	}
	if grace := before.GetDeletionGracePeriodSeconds(); grace != nil && now.GetDeletionGracePeriodSeconds() == nil {
		now.SetDeletionGracePeriodSeconds(grace)
	}
}

func structOf(obj runtime.Object) reflect.Value { return reflect.ValueOf(obj).Elem() }

// copyField gives obj what old has there. They share it then: neither is changed in place afterwards.
func copyField(obj, old runtime.Object, name string) {
	to, from := structOf(obj).FieldByName(name), structOf(old).FieldByName(name)
	if to.IsValid() && from.IsValid() && to.Type() == from.Type() {
		to.Set(from)
	}
}

// labelsOf makes the map if need be.
func labelsOf(m *metav1.ObjectMeta) map[string]string {
	if m.Labels == nil {
		m.Labels = map[string]string{}
	}
	return m.Labels
}
