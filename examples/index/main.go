// Index keeps a copy of all pods that can be asked by node: no request and no walk over all pods is needed to know what runs
// where. For two seconds, or with -kubeconfig until Ctrl-C.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/cache"
	"vedette.dev/examples/internal/cluster"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
)

const byNode = "node"

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the cluster to look at; none means an API server in this process")
	flag.Parse()
	config, end, err := cluster.Connect(*kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	defer end()
	ctx, stop := cluster.Context(*kubeconfig, 2*time.Second)
	defer stop()
	if err := run(ctx, config); err != nil {
		log.Print(err)
	}
}

func run(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().TypedInformer()
	err = pods.AddTypedIndexers(cache.TypedIndexers[*corev1.Pod]{
		byNode: func(pod *corev1.Pod) ([]string, error) { return []string{pod.Spec.NodeName}, nil },
	})
	if err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	if err := factory.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
		return err
	}
	for {
		show(pods.GetTypedIndexer())
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil
		}
	}
}

// show prints how many pods of which phase the first nodes have.
func show(pods cache.TypedIndexer[*corev1.Pod]) {
	nodes := slices.Sorted(slices.Values(pods.ListIndexFuncValues(byNode)))
	for _, node := range nodes[:min(3, len(nodes))] {
		onNode, err := pods.ByTypedIndex(byNode, node)
		if err != nil {
			log.Print(err)
			return
		}
		phases := make(map[corev1.PodPhase]int)
		for _, pod := range onNode {
			phases[pod.Status.Phase]++
		}
		fmt.Printf("%-10s %3d pods", node, len(onNode))
		for _, phase := range slices.Sorted(maps.Keys(phases)) {
			fmt.Printf("  %s %d", phase, phases[phase])
		}
		fmt.Println()
	}
	fmt.Println(len(nodes), "nodes")
}
