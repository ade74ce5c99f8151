// Classic is the controller that everyone has seen, written as for client-go: an informer with an indexer, a rate-limiting
// queue, and five workers. Only the import paths differ.
//
//	go run ./examples/classic                             # three seconds on an API server in this process
//	go run ./examples/classic -kubeconfig ~/.kube/config  # until Ctrl-C, on a cluster
//
// examples/typed does the same in the typed form.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"vedette.dev/cache"
	"vedette.dev/examples/internal/cluster"
	"vedette.dev/kubernetes"
	"vedette.dev/workqueue"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the cluster to look at; none means an API server in this process")
	limit := flag.Duration("for", 3*time.Second, "how long to run without a cluster")
	flag.Parse()
	ctx, stop := cluster.Context(*kubeconfig, *limit)
	defer stop()
	if err := run(ctx, *kubeconfig); err != nil {
		fmt.Fprintln(os.Stderr, "classic:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig string) error {
	config, end, err := cluster.Connect(kubeconfig)
	if err != nil {
		return err
	}
	defer end()
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	pods := cache.NewListWatchFromClient(clientset.CoreV1().RESTClient(), "pods", metav1.NamespaceAll, fields.Everything())
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())

	indexer, informer := cache.NewIndexerInformer(pods, &corev1.Pod{}, 0, cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj interface{}) {
			if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
				queue.Add(key)
			}
		},
		UpdateFunc: func(_, obj interface{}) {
			if key, err := cache.MetaNamespaceKeyFunc(obj); err == nil {
				queue.Add(key)
			}
		},
		DeleteFunc: func(obj interface{}) {
			// What is gone may come as a DeletedFinalStateUnknown, which this function knows.
			if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj); err == nil {
				queue.Add(key)
			}
		},
	}, cache.Indexers{})

	NewController(queue, indexer, informer).Run(ctx, 5)
	return nil
}
