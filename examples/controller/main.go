// Controller labels pods with the node that they run on, for three seconds, or with -kubeconfig until Ctrl-C.
package main

import (
	"context"
	"flag"
	"log"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/examples/internal/cluster"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
	"vedette.dev/runner"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the cluster to work on; none means an API server in this process")
	flag.Parse()
	config, end, err := cluster.Connect(*kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	defer end()
	ctx, stop := cluster.Context(*kubeconfig, 3*time.Second)
	defer stop()
	client := kubernetes.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	labels, err := controller.New(controller.Config[cache.ObjectName]{
		Name: "node-labels", Workers: 4, Sources: []controller.Source[cache.ObjectName]{controller.For(pods.TypedInformer())},
		Reconcile: func(ctx context.Context, name cache.ObjectName) (controller.Result, error) {
			pod, err := pods.Lister().Pods(name.Namespace).Get(name.Name)
			if err != nil || pod.Labels["node"] == pod.Spec.NodeName {
				return controller.Result{}, nil // it is gone, or as it should be
			}
			pod = pod.DeepCopy() // what the cache holds is for all to read
			metav1.SetMetaDataLabel(&pod.ObjectMeta, "node", pod.Spec.NodeName)
			_, err = client.CoreV1().Pods(name.Namespace).Update(ctx, pod, metav1.UpdateOptions{})
			return controller.Result{}, err
		},
	})
	if err == nil {
		err = runner.Run(ctx, runner.Config{Factories: []runner.Factory{factory}, Controllers: []runner.Controller{labels}})
	}
	log.Print("ended with error ", err)
}
