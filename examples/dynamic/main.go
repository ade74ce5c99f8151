// Dynamic works on a kind that the program knows by name only: -resource deployments.apps and so on. It asks the server how
// the resource is called in full, lists its objects, and watches them for a while.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
	"vedette.dev/discovery"
	"vedette.dev/dynamic"
	"vedette.dev/dynamic/dynamicinformer"
	"vedette.dev/examples/internal/cluster"
	"vedette.dev/rest"
	"vedette.dev/restmapper"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the cluster to look at; none means an API server in this process")
	resource := flag.String("resource", "pods", "what to watch, such as pods or deployments.apps")
	flag.Parse()
	config, end, err := cluster.Connect(*kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	defer end()
	ctx, stop := cluster.Context(*kubeconfig, 2*time.Second)
	defer stop()
	if err := run(ctx, config, *resource); err != nil {
		log.Print(err)
	}
}

func run(ctx context.Context, config *rest.Config, name string) error {
	resource, err := find(config, name)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	list, err := client.Resource(resource).List(ctx, metav1.ListOptions{Limit: 3})
	if err != nil {
		return err
	}
	for _, item := range list.Items {
		fmt.Printf("%s %s/%s\n", item.GetKind(), item.GetNamespace(), item.GetName())
	}

	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	informer := factory.ForResource(resource).Informer()
	changes := 0
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, obj any) {
			if changes++; changes <= 3 {
				fmt.Println("changed", obj.(*unstructured.Unstructured).GetName())
			}
		},
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	<-ctx.Done()
	factory.Shutdown()
	fmt.Println(len(informer.GetStore().List()), "objects,", changes, "changes")
	return nil
}

// find returns the resource of the server for a name or short name.
func find(config *rest.Config, name string) (schema.GroupVersionResource, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	groups, err := restmapper.GetAPIGroupResources(client)
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	_, gr := schema.ParseResourceArg(name)
	return restmapper.NewDiscoveryRESTMapper(groups).ResourceFor(gr.WithVersion(""))
}
