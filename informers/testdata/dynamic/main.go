// Dynamic counts the pods of a cluster, with a dynamic client and a factory.
package main

import (
	"context"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/dynamic"
	"vedette.dev/dynamic/dynamicinformer"
	"vedette.dev/rest"
)

func main() {
	client, err := dynamic.NewForConfig(&rest.Config{Host: os.Args[1]})
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	pods := factory.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "pods"})
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	list, err := pods.Lister().List(labels.Everything())
	fmt.Println(len(list), err)
	cancel()
	factory.Shutdown()
}
