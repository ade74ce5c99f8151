package hashspace_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/internal/hashspace"
	"vedette.dev/kubernetes"
)

// A server that knows shard selectors gives each owner what its set contains, all of them together everything, and says in
// shardInfo what was asked for.
func TestServerSelectsBySelector(t *testing.T) {
	server := apitest.New(t, apitest.Config{ShardSelectors: true, CreateNamespaces: true})
	client := kubernetes.NewForConfigOrDie(server.RESTConfig())
	var loads []hashspace.Load
	const namespaces = 60
	for i := range namespaces {
		namespace := fmt.Sprintf("tenant-%d", i)
		loads = append(loads, hashspace.Load{Hash: hashspace.FNV(namespace), Weight: float64(1 + i%5)})
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "one"}}
		if _, err := server.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	plan, err := hashspace.Rebalance(nil, map[string]float64{"a": 1, "b": 2, "c": 1}, loads, 1.01)
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]func(corev1.ConfigMap) string{
		"object.metadata.namespace": func(c corev1.ConfigMap) string { return c.Namespace },
		"object.metadata.uid":       func(c corev1.ConfigMap) string { return string(c.UID) },
	}
	for path, field := range paths {
		sum := 0
		for id, set := range plan.Owners {
			text, err := hashspace.Selector(path, set)
			if err != nil {
				t.Fatal(err)
			}
			list, err := client.CoreV1().ConfigMaps("").List(t.Context(), metav1.ListOptions{ShardSelector: text})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list.Items {
				if !set.Contains(hashspace.FNV(field(c))) {
					t.Errorf("%s got %s/%s by %s, which is not in %v", id, c.Namespace, c.Name, path, set)
				}
			}
			sum += len(list.Items)
			if list.ShardInfo == nil {
				t.Fatalf("%s: no shardInfo", text)
			}
			if gotPath, got, err := hashspace.ParseSelector(list.ShardInfo.Selector); err != nil || gotPath != path || !got.Equal(set) {
				t.Errorf("shardInfo %q is %s %v, %v; want %v", list.ShardInfo.Selector, gotPath, got, err, set)
			}
		}
		if sum != namespaces {
			t.Errorf("by %s, the owners got %d objects of %d", path, sum, namespaces)
		}
	}
}
