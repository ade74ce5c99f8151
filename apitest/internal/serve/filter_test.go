package serve

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/storage"
)

// Who follows the translated events of a part must always have what a list of that part shows, whatever enters and leaves.
func TestTranslateKeepsAPart(t *testing.T) {
	kind, ok := kinds.NewRegistry().Lookup(schema.GroupVersionResource{Version: "v1", Resource: "pods"})
	if !ok {
		t.Fatal("no pods")
	}
	rapid.Check(t, func(t *rapid.T) {
		f := &filter{namespace: rapid.SampledFrom([]string{"", "a", "a-b"}).Draw(t, "namespace"), kind: kind}
		if rapid.Bool().Draw(t, "labels") {
			f.labels = labels.SelectorFromSet(labels.Set{"l": "1"})
		}
		if rapid.Bool().Draw(t, "fields") {
			f.fields = fields.OneTermEqualSelector("spec.nodeName", "1")
		}
		pods := schema.GroupResource{Resource: "pods"}
		store := storage.New(0)
		_, log := store.Begin(pods)
		part := map[string]string{}
		draw := rapid.SampledFrom([]string{"0", "1"})
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				namespace := rapid.SampledFrom([]string{"a", "a-b"}).Draw(t, "in")
				key := storage.Key(namespace, draw.Draw(t, "name"))
				pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"l": draw.Draw(t, "label")}},
					Spec: corev1.PodSpec{NodeName: draw.Draw(t, "node")}}
				old := store.Get(pods, key)
				switch {
				case old == nil:
					_, _ = store.Create(pods, key, pod)
				case rapid.Bool().Draw(t, "delete"):
					_, _ = store.Delete(pods, old)
				default:
					_, _ = store.Update(pods, old, pod)
				}
			},
			"": func(t *rapid.T) {
				events, _, _, err := log.Next()
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					if kind, ok := f.translate(e); ok {
						follow(t, part, string(kind), e.Item)
					}
				}
				snapshot, err := store.Snapshot(pods, 0)
				if err != nil {
					t.Fatal(err)
				}
				want := map[string]string{}
				for item := range snapshot.Items(f.namespace, "") {
					if f.matches(item.Object) {
						want[item.Key] = fmt.Sprint(item.Version)
					}
				}
				if fmt.Sprint(part) != fmt.Sprint(want) {
					t.Fatalf("the part is %v, want %v", part, want)
				}
			},
		})
	})
}

func follow(t *rapid.T, part map[string]string, kind string, item *storage.Item) {
	if _, known := part[item.Key]; known == (kind == "ADDED") {
		t.Fatalf("%s of %s, which is known: %v", kind, item.Key, known)
	}
	if kind == "DELETED" {
		delete(part, item.Key)
		return
	}
	part[item.Key] = fmt.Sprint(item.Version)
}
