package pipeline

import (
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// thing is one state of an object. All states of an object share its metadata but for the version, so that half a million
// of them can be made beforehand and take little room: what is measured is what informers do with objects.
type thing struct {
	*metav1.ObjectMeta
	version string
	number  uint32 // the version
	index   uint32 // which object it is
	gone    bool   // the state in which it was deleted
	body    *[bodySize]byte
}

// bodySize is about what a small pod takes, where objects have a body.
const bodySize = 2 << 10

// perNamespace is how many objects share a namespace.
const perNamespace = 1000

// endOfList is the annotation of the bookmark after the initial events of a watch.
var endOfList = map[string]string{metav1.InitialEventsAnnotationKey: "true"}

func (t *thing) GetResourceVersion() string       { return t.version }
func (t *thing) SetResourceVersion(string)        { panic("objects of a cache must not be changed") }
func (t *thing) GetObjectMeta() metav1.Object     { return t }
func (t *thing) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

func (t *thing) DeepCopyObject() runtime.Object {
	out := *t
	out.ObjectMeta = t.ObjectMeta.DeepCopy()
	return &out
}

// own returns the state with a body of its own, as if it had just been decoded.
func (t *thing) own() *thing {
	out := *t
	out.body = new([bodySize]byte)
	return &out
}

// things is a list.
type things struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []*thing
}

func (l *things) DeepCopyObject() runtime.Object { panic("nobody copies a list") }

func namespaceOf(i, count int) string {
	return fmt.Sprintf("namespace-%d", i%max(1, count/perNamespace))
}

// newThings are the first states of so many objects, with the versions from 1 on.
func newThings(count int) []*thing {
	slab, names := make([]thing, count), make([]metav1.ObjectMeta, count)
	out := make([]*thing, count)
	for i := range out {
		names[i] = metav1.ObjectMeta{
			Namespace: namespaceOf(i, count),
			Name:      fmt.Sprintf("thing-%d", i),
			UID:       types.UID(fmt.Sprintf("0b5c7a52-6a0e-4f3a-9d5e-%012d", i)),
			Labels:    map[string]string{"app": "bench"},
		}
		slab[i] = thing{ObjectMeta: &names[i], version: strconv.Itoa(i + 1), number: uint32(i + 1), index: uint32(i)}
		out[i] = &slab[i]
	}
	return out
}
