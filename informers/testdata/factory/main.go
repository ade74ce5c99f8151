// Factory counts the pods of a cluster, with a clientset and a factory.
package main

import (
	"context"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/informers"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
)

func main() {
	client, err := kubernetes.NewForConfig(&rest.Config{Host: os.Args[1]})
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	pods.Informer()
	factory.StartWithContext(ctx)
	factory.WaitForCacheSyncWithContext(ctx)
	list, err := pods.Lister().List(labels.Everything())
	fmt.Println(len(list), err)
	cancel()
	factory.Shutdown()
}
