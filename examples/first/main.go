package main

import (
	"context"
	"log"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
	"vedette.dev/runner"
)

func main() {
	ctx, stop := context.WithTimeout(context.Background(), 3*time.Second)
	defer stop()
	server, err := apitest.Start(apitest.Config{}) // with a cluster: clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	client := kubernetes.NewForConfigOrDie(server.RESTConfig())
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	labeller, err := controller.New(controller.Config[cache.ObjectName]{
		Name: "node-labels", Workers: 4, Sources: []controller.Source[cache.ObjectName]{controller.For(pods.TypedInformer())},
		Reconcile: func(ctx context.Context, name cache.ObjectName) (controller.Result, error) {
			pod, err := pods.Lister().Pods(name.Namespace).Get(name.Name)
			if err != nil || pod.Labels["node"] == pod.Spec.NodeName {
				return controller.Result{}, nil // deleted, or already labelled
			}
			pod = pod.DeepCopy() // cached objects are shared
			metav1.SetMetaDataLabel(&pod.ObjectMeta, "node", pod.Spec.NodeName)
			_, err = client.CoreV1().Pods(name.Namespace).Update(ctx, pod, metav1.UpdateOptions{})
			return controller.Result{}, err // errors are retried with backoff
		},
	})
	if err == nil {
		err = server.Fill(ctx, apitest.Load{Pods: 100})
	}
	if err == nil {
		err = runner.Run(ctx, runner.Config{Factories: []runner.Factory{factory}, Controllers: []runner.Controller{labeller}})
	}
	log.Print(labeller.State().Reconciles, " reconciles; error: ", err)
}
