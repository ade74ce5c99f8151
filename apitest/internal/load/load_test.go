package load

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"vedette.dev/internal/testsize"
)

var some = Options{Seed: 1, Namespaces: 7, Nodes: 50, Replicas: 20}

// The figures of tests and benchmarks are about pods of this size.
func TestPodsHaveTheSizeOfRealOnes(t *testing.T) {
	const count = 610
	for seed := range testsize.Of(uint64(5), 1) {
		options := some
		options.Seed = seed
		g := New(options)
		var text, message int
		for i := range count {
			pod := g.Pod(i)
			data, err := json.Marshal(pod)
			if err != nil {
				t.Fatal(err)
			}
			text += len(data)
			message += pod.Size()
		}
		t.Logf("seed %d: on average %d bytes of JSON, %d of protobuf", seed, text/count, message/count)
		if mean := text / count; mean < 7000 || mean > 9000 {
			t.Errorf("seed %d: a pod has %d bytes of JSON on average, want 7 to 9 KB", seed, mean)
		}
	}
}

func TestPodsSurviveBothEncodings(t *testing.T) {
	g := New(some)
	for i := 0; i < 2000; i += 7 {
		pod := g.Pod(i)
		data, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		var fromJSON, fromProtobuf corev1.Pod
		if err := json.Unmarshal(data, &fromJSON); err != nil {
			t.Fatal(err)
		}
		if data, err = pod.Marshal(); err != nil {
			t.Fatal(err)
		}
		if err := fromProtobuf.Unmarshal(data); err != nil {
			t.Fatal(err)
		}
		if !apiequality.Semantic.DeepEqual(pod, &fromJSON) || !apiequality.Semantic.DeepEqual(pod, &fromProtobuf) {
			t.Fatalf("pod %d is another one after a round trip", i)
		}
	}
}

func TestManagedFieldsAreFieldSets(t *testing.T) {
	g := New(some)
	for i := 0; i < 2000; i += 20 {
		for _, entry := range g.Pod(i).ManagedFields {
			text := entry.FieldsV1.GetRawString()
			var set fieldpath.Set
			if err := set.FromJSON(strings.NewReader(text)); err != nil || set.Empty() {
				t.Fatalf("pod %d, %s: %v: %s", i, entry.Manager, err, text)
			}
			if strings.Contains(text, placeholder) {
				t.Fatalf("pod %d, %s: a placeholder is left: %s", i, entry.Manager, text)
			}
		}
	}
}

func TestSameSeedSamePods(t *testing.T) {
	a, b, other := New(some), New(some), New(Options{Seed: 2, Namespaces: 7, Nodes: 50, Replicas: 20})
	for _, i := range []int{0, 1, 19, 20, 999, 100_000, 5} { // in any order
		if !apiequality.Semantic.DeepEqual(a.Pod(i), b.Pod(i)) {
			t.Errorf("pod %d differs", i)
		}
		if a.Pod(i).UID == other.Pod(i).UID {
			t.Errorf("pod %d is the same with another seed", i)
		}
	}
}

func TestPodsAreSpread(t *testing.T) {
	const count = 4000
	names, uids, addresses := map[string]bool{}, map[string]bool{}, map[string]bool{}
	namespaces, nodes, owners := map[string]int{}, map[string]int{}, map[string]int{}
	g := New(some)
	for i := range count {
		pod := g.Pod(i)
		names[pod.Namespace+"/"+pod.Name], uids[string(pod.UID)], addresses[pod.Status.PodIP] = true, true, true
		namespaces[pod.Namespace]++
		nodes[pod.Spec.NodeName]++
		owners[pod.OwnerReferences[0].Name]++
		if pod.Namespace != g.Namespace(i) {
			t.Fatalf("pod %d is in %s, said to be in %s", i, pod.Namespace, g.Namespace(i))
		}
	}
	if len(names) != count || len(uids) != count || len(addresses) != count {
		t.Errorf("%d names, %d UIDs and %d addresses for %d pods", len(names), len(uids), len(addresses), count)
	}
	if len(namespaces) != 7 || len(nodes) != 50 || len(owners) != count/20 {
		t.Errorf("%d namespaces, %d nodes, %d owners", len(namespaces), len(nodes), len(owners))
	}
}

func TestCopies(t *testing.T) {
	template := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "a", ResourceVersion: "7", UID: "u"}}
	copies, err := NewCopies(template, 3)
	if err != nil {
		t.Fatal(err)
	}
	first, second := copies.Copy(0).(*corev1.ConfigMap), copies.Copy(1).(*corev1.ConfigMap)
	if first.Name != "web-000000" || second.Name != "web-000001" || first.UID == second.UID || first.ResourceVersion != "" {
		t.Errorf("%v and %v", first, second)
	}
	if template.Name != "web" || template.UID != "u" {
		t.Errorf("the template was changed: %v", template)
	}
	for _, bad := range []runtime.Object{&corev1.ConfigMap{}, &metav1.Status{}} {
		if _, err := NewCopies(bad, 0); err == nil {
			t.Errorf("%T can be copied", bad)
		}
	}
}

func BenchmarkPod(b *testing.B) {
	g := New(some)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		g.Pod(i)
	}
}
