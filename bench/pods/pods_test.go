package pods

import (
	"encoding/json"
	"strconv"
	"testing"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

// TestSizes: the figures of a benchmark are about pods of this size, so a change to them is a change to every record.
func TestSizes(t *testing.T) {
	const count = shapeCount
	var text, message int
	for s := range count {
		pod := New(s * replicas) // all pods of a shape have the same size
		data, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		text += len(data)
		message += pod.Size()
	}
	near := func(what string, got, want int) {
		t.Helper()
		if got < want*9/10 || got > want*11/10 {
			t.Errorf("a pod has %d bytes of %s on average, want %d", got, what, want)
		}
		t.Logf("a pod has %d bytes of %s on average", got, what)
	}
	near("JSON", text/count, 10_200)
	near("protobuf", message/count, 6_200)
}

func TestManagedFieldsAreJSON(t *testing.T) {
	for s := range shapeCount {
		for _, entry := range New(s * replicas).ManagedFields {
			if !json.Valid(entry.FieldsV1.GetRawBytes()) {
				t.Fatalf("shape %d, %s: %s", s, entry.Manager, entry.FieldsV1.GetRawString())
			}
		}
	}
}

func TestPodsAreTheirOwn(t *testing.T) {
	names, uids, ips := map[string]int{}, map[string]int{}, map[string]int{}
	once := func(seen map[string]int, value string, i int) {
		if other, ok := seen[value]; ok {
			t.Errorf("pods %d and %d both have %q", other, i, value)
		}
		seen[value] = i
	}
	for i := range 20 * replicas {
		pod := New(i)
		once(names, pod.Namespace+"/"+pod.Name, i)
		once(uids, string(pod.UID), i)
		once(ips, pod.Status.PodIP, i)
	}
}

func TestPodsOfAReplicaSet(t *testing.T) {
	first, second, other := New(0), New(1), New(replicas)
	if !apiequality.Semantic.DeepEqual(first.OwnerReferences, second.OwnerReferences) {
		t.Error("pods 0 and 1 have different owners")
	}
	if apiequality.Semantic.DeepEqual(first.OwnerReferences, other.OwnerReferences) {
		t.Errorf("pods 0 and %d have the same owner", replicas)
	}
}

func TestWhatIsSaidOfAPod(t *testing.T) {
	for i := 0; i < 2*shapeCount*replicas; i += 13 {
		pod, key := New(i), Key(i)
		if pod.Namespace != key.Namespace || pod.Name != key.Name || pod.UID != UID(i) {
			t.Fatalf("pod %d is %s/%s, %s; said to be %s, %s", i, pod.Namespace, pod.Name, pod.UID, key, UID(i))
		}
		if got, want := Changed(i, i+1).ResourceVersion, strconv.FormatInt(Version(i, i+1), 10); got != want {
			t.Fatalf("pod %d has version %s after change %d; said to have %s", i, got, i+1, want)
		}
		if got, want := len(pod.Spec.Containers), ContainersOf(i); got != want {
			t.Fatalf("pod %d has %d containers; said to have %d", i, got, want)
		}
		if len(pod.Labels) != LabelCount || len(pod.Status.Conditions) != ConditionCount {
			t.Fatalf("pod %d has %d labels and %d conditions; said to have %d and %d",
				i, len(pod.Labels), len(pod.Status.Conditions), LabelCount, ConditionCount)
		}
	}
}
