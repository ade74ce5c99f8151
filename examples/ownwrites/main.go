// Ownwrites creates a config map and looks for it in the cache at once: in the cache of an informer, whose watch lags by half a
// second, and in the same with the program's own writes on top.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
	listers "vedette.dev/listers/core/v1"
	"vedette.dev/ownwrites"
)

func main() {
	server, err := apitest.Start(apitest.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	clientset := kubernetes.NewForConfigOrDie(server.RESTConfig())
	factory := informers.NewSharedInformerFactory(clientset, 0)
	maps := factory.Core().V1().ConfigMaps()

	tracker, err := ownwrites.New(maps.Informer(), ownwrites.Config{})
	if err != nil {
		log.Fatal(err)
	}
	_, err = maps.Informer().AddEventHandler(tracker.Handler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { fmt.Println("the handler receives", obj.(*corev1.ConfigMap).Name) },
	}))
	if err != nil {
		log.Fatal(err)
	}
	factory.StartWithContext(ctx)
	factory.WaitForCacheSyncWithContext(ctx)
	lag, err := apitest.ParseFault("watch configmaps: lag delay=500ms")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := server.Inject(lag); err != nil {
		log.Fatal(err)
	}

	client := ownwrites.Client(clientset.CoreV1().ConfigMaps("default"), tracker)
	if _, err := client.Create(ctx, newMap("ours"), metav1.CreateOptions{}); err != nil {
		log.Fatal(err)
	}
	if _, err := clientset.CoreV1().ConfigMaps("default").Create(ctx, newMap("of-others"), metav1.CreateOptions{}); err != nil {
		log.Fatal(err)
	}
	look("at once", maps.Lister(), listers.NewConfigMapLister(tracker.Indexer()))
	for tracker.Stats().Waiting > 0 {
		time.Sleep(50 * time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond)
	look("later", maps.Lister(), listers.NewConfigMapLister(tracker.Indexer()))
	fmt.Printf("%d own event was recognised\n", tracker.Stats().Echoes)

	cancel()
	factory.Shutdown()
	if err := tracker.Close(); err != nil {
		log.Fatal(err)
	}
}

func newMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func look(when string, plain, tracked listers.ConfigMapLister) {
	_, errPlain := plain.ConfigMaps("default").Get("ours")
	_, errTracked := tracked.ConfigMaps("default").Get("ours")
	fmt.Printf("%-8s the informer's lister has it: %-5v  the tracker's: %v\n", when, errPlain == nil, errTracked == nil)
}
