package cache_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/kubernetes"
)

// Packed objects take a fraction of the memory. A reader gets an object of its own, with the fields that were asked
// for; a lazy handler is given the key, and has nothing decoded.
func ExampleStorage() {
	server, err := apitest.Start(apitest.Config{InProcess: true})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	client := kubernetes.NewForConfigOrDie(server.RESTConfig())
	ctx, cancel := context.WithCancel(context.Background())
	_, err = client.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "settings", Labels: map[string]string{"app": "shop"}},
		Data:       map[string]string{"colour": "green", "page": "a long text"},
	}, metav1.CreateOptions{})
	if err != nil {
		panic(err)
	}

	lw := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "configmaps", "default", nil)
	informer := cache.NewSharedIndexInformerWithOptions(lw, &corev1.ConfigMap{}, cache.SharedIndexInformerOptions{
		Storage: cache.Storage{Packed: true, Keep: []string{"metadata.labels", "data[colour]"}},
	})
	heard := make(chan string, 1)
	_, _ = informer.AddEventHandler(cache.LazyEventHandlerFunc(func(e cache.LazyEvent) { heard <- e.Key }))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		informer.RunWithContext(ctx)
	}()
	key := <-heard
	obj, _, err := informer.GetStore().GetByKey(key)
	if err != nil {
		panic(err)
	}
	settings := obj.(*corev1.ConfigMap)
	fmt.Println(key, settings.Labels, settings.Data)
	cancel()
	<-ended
	// Output: default/settings map[app:shop] map[colour:green]
}
