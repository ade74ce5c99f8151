package podcache

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/pods"
	"vedette.dev/bench/pods/podserver"
)

// FiveFields are those that the workloads with a projection keep.
var FiveFields = []string{"metadata.labels", "spec.nodeName", "status.phase", "status.podIP", "metadata.ownerReferences"}

// Gone is the change of a pod that is not there any more.
const Gone = -1

const (
	// mostLookups is of how many pods the version is looked up: one that is packed takes a while.
	mostLookups = 5000
	// comparisons is how many of them are compared field by field.
	comparisons = 40
)

// Check compares the store with what there should be: the change of each pod, 0 for none.
func (r *Running) Check(change func(i int) int) error {
	want := 0
	for i := range r.Pods {
		if change(i) != Gone {
			want++
		}
	}
	store := r.Store()
	keys := store.ListKeys()
	if len(keys) != want {
		return fmt.Errorf("the store has %d keys, want %d", len(keys), want)
	}
	has := make(map[string]bool, len(keys))
	for _, key := range keys {
		has[key] = true
	}
	lookup, compare := max(1, r.Pods/mostLookups), max(1, r.Pods/comparisons)
	for i := range r.Pods {
		c := change(i)
		if key := pods.Key(i).String(); has[key] == (c == Gone) {
			return fmt.Errorf("that %s is in the store is %v", key, has[key])
		}
		if c == Gone || i%lookup != 0 {
			continue
		}
		if err := r.checkOne(i, c, i%compare < lookup); err != nil {
			return err
		}
	}
	return nil
}

// checkOne looks one pod up.
func (r *Running) checkOne(i, change int, compare bool) error {
	key := pods.Key(i).String()
	obj, ok, err := r.Store().GetByKey(key)
	if err != nil || !ok {
		return fmt.Errorf("get %s: %v, error %v", key, ok, err)
	}
	m, ok := obj.(metav1.Object)
	if want := fmt.Sprint(pods.Version(i, change)); !ok || m.GetResourceVersion() != want {
		return fmt.Errorf("the store has %T %s, want version %s", obj, key, want)
	}
	if !compare {
		return nil
	}
	pod, err := podOf(obj)
	if err != nil {
		return err
	}
	if want := r.expected(i, change); !apiequality.Semantic.DeepEqual(pod, want) {
		return fmt.Errorf("the store has %s in version %s, but not as it was sent:\ngot  %+v\nwant %+v", key, pod.ResourceVersion, pod, want)
	}
	return nil
}

// podOf is an object as a pod, without the kind, which not every way brings.
func podOf(obj any) (*corev1.Pod, error) {
	out := &corev1.Pod{}
	switch o := obj.(type) {
	case *corev1.Pod:
		*out = *o
	case *unstructured.Unstructured:
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, out); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("the store has a %T", obj)
	}
	out.TypeMeta = metav1.TypeMeta{}
	return out, nil
}

// expected is a pod with the fields that should have been kept.
func (r *Running) expected(i, change int) *corev1.Pod {
	pod := pods.Changed(i, change)
	if r.Side != harness.Vedette {
		if r.Strip {
			pod.ManagedFields = nil
		}
		return pod
	}
	if len(r.Storage.Drop) > 0 {
		pod.ManagedFields = nil
	}
	if len(r.Storage.Keep) == 0 {
		return pod
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion, Generation: pod.Generation,
			Labels: pod.Labels, OwnerReferences: pod.OwnerReferences,
		},
		Spec:   corev1.PodSpec{NodeName: pod.Spec.NodeName},
		Status: corev1.PodStatus{Phase: pod.Status.Phase, PodIP: pod.Status.PodIP},
	}
}

// AfterUpdates returns what a handler must receive after that many update events since the server was started: at least the last
// state of each pod. What came before may have been coalesced.
func (r *Running) AfterUpdates(events int) Wanted {
	begin := max(0, events-r.Pods)
	w := Wanted{Above: pods.ListVersion + int64(begin), States: events - begin}
	for n := begin + 1; n <= events; n++ {
		w.Sum += Weight(podserver.Spread(n, r.Pods), n)
	}
	return w
}

// ChangesAfter is the change of each pod after so many events.
func (r *Running) ChangesAfter(events int) func(i int) int {
	last := make([]int, r.Pods)
	for n := max(0, events-r.Pods) + 1; n <= events; n++ {
		last[podserver.Spread(n, r.Pods)] = n
	}
	return func(i int) int { return last[i] }
}
