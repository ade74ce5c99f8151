// Clients reads and writes objects: create, get, list by label, update with a retry on conflict, patch, apply, watch, delete.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/examples/internal/cluster"
	"vedette.dev/kubernetes"
	"vedette.dev/retry"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the cluster to talk to; none means an API server in this process")
	flag.Parse()
	config, end, err := cluster.Connect(*kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	defer end()
	ctx, stop := cluster.Context(*kubeconfig, 20*time.Second)
	defer stop()
	client, err := kubernetes.NewForConfig(config)
	if err == nil {
		err = run(ctx, client)
	}
	if err != nil {
		log.Print(err)
	}
}

func run(ctx context.Context, client kubernetes.Interface) error {
	maps := client.CoreV1().ConfigMaps("default")
	created, err := maps.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "example-", Labels: map[string]string{"made-by": "examples"}},
		Data:       map[string]string{"greeting": "hello"},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	fmt.Println("created", created.Name)

	// Another client may write at the same time. The server then returns Conflict: read again and retry.
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		current, err := maps.Get(ctx, created.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		current.Data["greeting"] = "good morning"
		_, err = maps.Update(ctx, current, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return err
	}
	patched, err := maps.Patch(ctx, created.Name, types.MergePatchType, []byte(`{"data":{"name":"vedette"}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	fmt.Println("patched", patched.Data)

	list, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "made-by=examples"})
	if err != nil {
		return err
	}
	fmt.Println("listed", len(list.Items))

	watcher, err := maps.Watch(ctx, metav1.ListOptions{LabelSelector: "made-by=examples", ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	for i := range list.Items {
		if err := maps.Delete(ctx, list.Items[i].Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	event := <-watcher.ResultChan()
	fmt.Println("heard", event.Type)
	if _, err := maps.Get(ctx, created.Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("expected NotFound, got %v", err)
	}
	fmt.Println("gone")
	return nil
}
