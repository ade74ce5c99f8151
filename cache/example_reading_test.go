package cache_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
)

// A lister reads what it needs: with packed storage, only the node of each pod is decoded here, for the index and by the loop.
func ExampleTypedLister() {
	server, err := apitest.Start(apitest.Config{InProcess: true})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	client := kubernetes.NewForConfigOrDie(server.RESTConfig())
	ctx, cancel := context.WithCancel(context.Background())
	for i, node := range []string{"node-a", "node-b", "node-a"} {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("web-", i), Namespace: "default"},
			Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "c", Image: "i"}}},
		}
		if _, err := client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			panic(err)
		}
	}
	factory, err := informers.New(informers.Config{
		Client:    client,
		Informers: cache.SharedIndexInformerOptions{Storage: cache.Storage{Packed: true}},
	})
	if err != nil {
		panic(err)
	}
	informer := factory.Core().V1().Pods().Informer()
	if err := informer.AddIndexers(cache.Indexers{"node": cache.IndexByField("spec.nodeName")}); err != nil {
		panic(err)
	}
	factory.StartWithContext(ctx)
	factory.WaitForCacheSyncWithContext(ctx)

	pods := cache.NewTypedLister[*corev1.Pod](informer.GetIndexer(), corev1.Resource("pods"))
	nodes, err := pods.Fields("spec.nodeName")
	if err != nil {
		panic(err)
	}
	count := map[string]int{}
	for pod, err := range nodes.All(labels.Everything()) {
		if err != nil {
			panic(err)
		}
		count[pod.Spec.NodeName]++
	}
	fmt.Println(count)
	for m, err := range pods.Metadata().AllByIndex("node", "node-b") {
		if err != nil {
			panic(err)
		}
		fmt.Println(m.Name)
	}
	cancel()
	factory.Shutdown()
	// Output:
	// map[node-a:2 node-b:1]
	// web-1
}
