package ownwrites_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/informers"
	"vedette.dev/kubernetes/fake"
	listers "vedette.dev/listers/core/v1"
	"vedette.dev/ownwrites"
)

func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	clientset := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(clientset, 0)
	informer := factory.Core().V1().ConfigMaps().Informer()
	tracker, err := ownwrites.New(informer, ownwrites.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	factory.StartWithContext(ctx)
	lister := listers.NewConfigMapLister(tracker.Indexer()).ConfigMaps("default")
	client := ownwrites.Client(clientset.CoreV1().ConfigMaps("default"), tracker)

	created, err := client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "child-"}}, metav1.CreateOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	seen, err := lister.Get(created.Name)
	fmt.Println(err == nil && seen.UID == created.UID)

	_ = client.Delete(ctx, created.Name, metav1.DeleteOptions{})
	_, err = lister.Get(created.Name)
	fmt.Println(err != nil)

	cancel()
	factory.Shutdown()
	_ = tracker.Close()
	// Output:
	// true
	// true
}
