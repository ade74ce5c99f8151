package pack

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// pods makes pods, those of one ReplicaSet for each group. What differs between them differs in length as well.
type pods struct{ r *rand.Rand }

func newPods(seed uint64) *pods { return &pods{rand.New(rand.NewPCG(seed, 1))} }

func (p *pods) hex(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = hexLetters[p.r.IntN(16)]
	}
	return string(b)
}

func (p *pods) uid() types.UID {
	return types.UID(p.hex(8) + "-" + p.hex(4) + "-4" + p.hex(3) + "-" + p.hex(4) + "-" + p.hex(12))
}

func (p *pods) ip() string {
	return fmt.Sprintf("10.%d.%d.%d", p.r.IntN(256), p.r.IntN(256), p.r.IntN(256))
}

// pod makes a pod that was accepted, and nothing more.
func (p *pods) pod(group int) *corev1.Pod {
	app := fmt.Sprintf("app-%d", group)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: app + "-" + p.hex(5), Namespace: "production", UID: p.uid(), ResourceVersion: fmt.Sprint(p.r.Uint32()),
			CreationTimestamp: metav1.Unix(1_767_225_600+p.r.Int64N(1e6), 0),
			Labels:            map[string]string{"app": app, "team": "storefront", "pod-template-hash": fmt.Sprint(group * 7919)},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app, UID: types.UID(fmt.Sprintf("%032x", group)),
			}},
		},
		Spec: corev1.PodSpec{NodeName: fmt.Sprintf("worker-%d", p.r.IntN(4000)), ServiceAccountName: app},
	}
	container := corev1.Container{Name: app, Image: "registry.example.com/" + app + ":v1." + fmt.Sprint(group%40)}
	for i := range 4 + group%8 {
		container.Env = append(container.Env, corev1.EnvVar{
			Name:  fmt.Sprintf("SETTING_%d_OF_%d", i*group%31, group),
			Value: fmt.Sprintf("https://service-%d.production.svc.cluster.local:8443", i+group),
		})
	}
	pod.Spec.Containers = []corev1.Container{container}
	return pod
}

// run gives a pod the status of one that is running.
func (p *pods) run(pod *corev1.Pod) *corev1.Pod {
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, HostIP: p.ip(), PodIP: p.ip()}
	pod.Status.PodIPs = []corev1.PodIP{{IP: pod.Status.PodIP}}
	since := metav1.Unix(pod.CreationTimestamp.Unix()+p.r.Int64N(60), 0)
	kinds := []corev1.PodConditionType{corev1.PodReady, corev1.PodInitialized, corev1.ContainersReady, corev1.PodScheduled}
	for _, kind := range kinds {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
			Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: since,
			Reason: "ItIsSo", Message: "the kubelet looked at the containers and found that all of them are " + string(kind),
		})
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: pod.Spec.Containers[0].Name, Ready: true, Image: pod.Spec.Containers[0].Image, ContainerID: "containerd://" + p.hex(64),
	}}
	return pod
}

func protobuf(tb testing.TB, pod *corev1.Pod) []byte {
	b, err := pod.Marshal()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func text(tb testing.TB, pod *corev1.Pod) []byte {
	b, err := json.Marshal(pod)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// form is how a pod comes.
type form = func(testing.TB, *corev1.Pod) []byte

var forms = map[string]form{"protobuf": protobuf, "JSON": text}

// verify checks the invariants of the caches.
func (p *Packer) verify(t interface{ Fatalf(string, ...any) }) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range []*baseCache{&p.recent, &p.roots} {
		size := 0
		for e := c.lru.Front(); e != nil; e = e.Next() {
			b := e.Value.(*base)
			index := b.index.Load()
			if b.cache != c || b.elem != e || index == nil {
				t.Fatalf("a cached base does not know its cache, or has no index")
			}
			if bytes, err := unpack(nil, b.root, b.data, true); err != nil || string(bytes) != string(index.bytes) {
				t.Fatalf("an index does not have the bytes of its base: %v", err)
			}
			size += index.size()
		}
		if size != c.size || c.lru.Len() > c.maxCount || c.lru.Len() > 1 && c.size > c.maxSize {
			t.Fatalf("a cache of %d bases has %d bytes and counted %d, of at most %d", c.lru.Len(), size, c.size, c.maxSize)
		}
	}
	for group, pointer := range p.groups {
		if b := pointer.Value(); b != nil && (b.cache == nil) != (b.index.Load() == nil) {
			t.Fatalf("the base of group %d has an index and is not cached, or the other way round", group)
		}
	}
}

// eventually waits for what the garbage collector does.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 200 {
		if runtime.GC(); holds() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error(what)
}
