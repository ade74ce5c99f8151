// Pods shows the clients on a cluster: it lists pods, prints the version of the server, and then prints the changes of the pods.
//
//	go run ./examples/cluster/pods                            # the cluster of KUBECONFIG or ~/.kube/config
//	go run ./examples/cluster/pods -n kube-system -for 10s    # one namespace, ten seconds
//
// No cluster at hand? `make testenv` runs a real API server and prints how to reach it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/clientcmd"
	"vedette.dev/kubernetes"
)

func main() {
	namespace := flag.String("n", "", "the namespace; empty means all of them")
	limit := flag.Duration("for", 0, "how long to watch; 0 means until Ctrl-C")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *namespace, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "pods:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, namespace string, limit time.Duration) error {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	version, err := client.Discovery().ServerVersion()
	if err != nil {
		return err
	}
	pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	fmt.Printf("%s runs Kubernetes %s and has %d pods\n", config.Host, version.GitVersion, len(pods.Items))
	for _, pod := range pods.Items {
		fmt.Printf("  %s/%s on %q: %s\n", pod.Namespace, pod.Name, pod.Spec.NodeName, pod.Status.Phase)
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	return follow(ctx, client, namespace, pods.ResourceVersion)
}

// follow prints changes until ctx ends. An informer would do more: begin again when the connection is lost, and keep what
// it saw.
func follow(ctx context.Context, client kubernetes.Interface, namespace, version string) error {
	watch, err := client.CoreV1().Pods(namespace).Watch(ctx, metav1.ListOptions{ResourceVersion: version})
	if err != nil {
		return err
	}
	defer watch.Stop()
	for event := range watch.ResultChan() {
		if pod, ok := event.Object.(metav1.Object); ok {
			fmt.Printf("%-8s %s/%s, version %s\n", event.Type, pod.GetNamespace(), pod.GetName(), pod.GetResourceVersion())
		}
	}
	if ctx.Err() == nil {
		return fmt.Errorf("the server ended the watch")
	}
	return nil
}
