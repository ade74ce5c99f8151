// Typed is examples/classic in the typed form, for three seconds, or with -kubeconfig until Ctrl-C.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/cache"
	"vedette.dev/examples/internal/cluster"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
	"vedette.dev/workqueue"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the cluster to look at; none means an API server in this process")
	flag.Parse()
	config, end, err := cluster.Connect(*kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	defer end()
	ctx, stop := cluster.Context(*kubeconfig, 3*time.Second)
	defer stop()
	factory := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(config), 0)
	pods := factory.Core().V1().Pods()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
	_, err = pods.TypedInformer().AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*corev1.Pod]{
		AddFunc:    func(pod *corev1.Pod) { queue.Add(cache.MetaObjectToName(pod)) },
		UpdateFunc: func(_, pod *corev1.Pod) { queue.Add(cache.MetaObjectToName(pod)) },
		DeleteFunc: func(gone cache.DeletedObject[*corev1.Pod]) { queue.Add(gone.GetObjectName()) },
	})
	if err != nil {
		log.Fatal(err)
	}
	factory.StartWithContext(ctx)
	context.AfterFunc(ctx, queue.ShutDown)
	for name, done := queue.Get(); !done; name, done = queue.Get() {
		if pod, err := pods.Lister().Pods(name.Namespace).Get(name.Name); err == nil {
			fmt.Printf("%-8s %s on %s\n", pod.Status.Phase, name, pod.Spec.NodeName)
		}
		queue.Done(name)
	}
	factory.Shutdown()
}
