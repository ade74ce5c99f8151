package reconcile

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// object is one state of an object. All states share the metadata but for the version, so that many can be made beforehand and
// take little room: what is measured is what is done with them.
type object struct {
	*metav1.ObjectMeta
	version string
	number  uint32 // the version
	index   uint32 // which object it is
}

func (o *object) GetResourceVersion() string       { return o.version }
func (o *object) SetResourceVersion(string)        { panic("objects of a cache must not be changed") }
func (o *object) GetObjectMeta() metav1.Object     { return o }
func (o *object) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

func (o *object) DeepCopyObject() runtime.Object {
	out := *o
	out.ObjectMeta = o.ObjectMeta.DeepCopy()
	return &out
}

// objectList is a list.
type objectList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []*object
}

func (l *objectList) DeepCopyObject() runtime.Object { panic("nobody copies a list") }

// perNamespace is how many objects share a namespace.
const perNamespace = 1000

// newObjects are the first states of so many objects, with the versions from 1 on.
func newObjects(count int) []*object {
	slab, metas := make([]object, count), make([]metav1.ObjectMeta, count)
	out := make([]*object, count)
	for i := range out {
		metas[i] = metav1.ObjectMeta{
			Namespace: fmt.Sprintf("namespace-%d", i/perNamespace),
			Name:      fmt.Sprintf("object-%d", i),
			UID:       types.UID(fmt.Sprintf("0b5c7a52-6a0e-4f3a-9d5e-%012d", i)),
			Labels:    map[string]string{"app": "bench"},
		}
		slab[i] = object{ObjectMeta: &metas[i], version: strconv.Itoa(i + 1), number: uint32(i + 1), index: uint32(i)}
		out[i] = &slab[i]
	}
	return out
}

// indexOf finds an object by its key or name, which end with its index. It is -1 if there is none at the end.
func indexOf(key string) int {
	index, unit := -1, 1
	for i := len(key) - 1; i >= 0 && key[i] >= '0' && key[i] <= '9' && unit <= 1e9; i-- {
		index = max(index, 0) + int(key[i]-'0')*unit
		unit *= 10
	}
	return index
}

// newRound is one change of each of the first count objects of a random order. Rounds are numbered from 1 on, and the versions
// of each go on after those of the one before.
func newRound(objects []*object, number, count int) []object {
	round := make([]object, count)
	order := rand.New(rand.NewPCG(1, uint64(number))).Perm(len(objects))
	for i := range round {
		o := *objects[order[i]]
		o.number = uint32(number*len(objects) + i + 1)
		o.version = strconv.FormatUint(uint64(o.number), 10)
		round[i] = o
	}
	return round
}
