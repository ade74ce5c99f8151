// Multicluster is one controller over the pods of several clusters: it gives each pod a label with the name of its cluster. A
// cluster that is down fails by itself, and what happened in it meanwhile is made up for when it comes back; the others do not
// notice.
//
// Without -contexts it runs on two API servers in this process, of which one is stopped for a while: see demo.go. With -contexts
// it runs on the clusters of those contexts until Ctrl-C.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
	"vedette.dev/runner"
	"vedette.dev/shard"
)

// label is what the controller sets.
const label = "multicluster.vedette.dev/cluster"

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file that has the contexts")
	contexts := flag.String("contexts", "", "contexts of the clusters to work on, such as east,west; none means servers in this process")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := start(ctx, *kubeconfig, *contexts); err != nil {
		log.Fatal(err)
	}
}

func start(ctx context.Context, kubeconfig, contexts string) error {
	if contexts == "" {
		return demo(ctx, apitest.Config{}, os.Stdout)
	}
	configs := map[string]*rest.Config{}
	for name := range strings.SplitSeq(contexts, ",") {
		options := runner.Options{Kubeconfig: kubeconfig, Context: name, QPS: 50}
		config, err := options.RESTConfig()
		if err != nil {
			return err
		}
		configs[name] = config
	}
	p, err := newProgram(configs)
	if err != nil {
		return err
	}
	return p.run(ctx, func(ctx context.Context) error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(5 * time.Second):
				for _, s := range p.informer.Shards() {
					fmt.Printf("%s: %d pods, %.0f changes/s, error: %v\n", s.ID, s.Objects, s.Rate, s.Err())
				}
			}
		}
	})
}

type program struct {
	informer *shard.TypedShardingInformer[*corev1.Pod]
	clients  map[string]kubernetes.Interface // by cluster
	pods     *controller.Controller[shard.Key]
}

func newProgram(configs map[string]*rest.Config) (*program, error) {
	p := &program{clients: map[string]kubernetes.Interface{}}
	for cluster, config := range configs {
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, fmt.Errorf("cluster %s: %w", cluster, err)
		}
		p.clients[cluster] = client
	}
	var err error
	p.informer, err = shard.NewTypedShardingInformer(shard.Config[*corev1.Pod]{
		Resource: corev1.SchemeGroupVersion.WithResource("pods"),
		Source:   shard.Clusters(configs), // one shard a cluster, named after it
	})
	if err != nil {
		return nil, err
	}
	p.pods, err = controller.New(controller.Config[shard.Key]{
		Name:      "pods",
		Workers:   4,
		Sources:   []controller.Source[shard.Key]{&clusters[*corev1.Pod]{informer: p.informer}},
		Tenant:    func(key shard.Key) string { return key.Cluster }, // clusters take turns
		ParseKey:  shard.ParseKey,                                    // so that Explain understands east|default/web
		Timeout:   5 * time.Second,                                   // a cluster that hangs does not keep the workers
		Reconcile: p.reconcile,
	})
	return p, err
}

// reconcile labels a pod. Pods of one name in two clusters are two keys.
func (p *program) reconcile(ctx context.Context, key shard.Key) (controller.Result, error) {
	pod, err := p.informer.Lister().Get(key.String())
	if err != nil || pod.Labels[label] == key.Cluster {
		return controller.Result{}, nil // it is gone, or as it should be
	}
	pod = pod.DeepCopy() // what the cache holds is for all to read
	metav1.SetMetaDataLabel(&pod.ObjectMeta, label, key.Cluster)
	_, err = p.clients[key.Cluster].CoreV1().Pods(key.Namespace).Update(ctx, pod, metav1.UpdateOptions{})
	return controller.Result{}, err // an error is tried again, later and later
}

// run runs informer and controller until the context ends, or what happens meanwhile has ended.
func (p *program) run(ctx context.Context, meanwhile func(ctx context.Context) error) error {
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		defer stop()
		ended <- meanwhile(ctx)
	}()
	err := runner.Run(ctx, runner.Config{
		Informers:   []cache.SharedIndexInformer{p.informer},
		Controllers: []runner.Controller{p.pods},
		KeepSignals: true, // they end the context
	})
	stop()
	if other := <-ended; err == nil {
		err = other
	}
	return err
}
