// Sharding watches the pods of a big cluster in eight shards, by namespace: each lists, decodes and delivers by itself, and has
// limits, so that the storm of one tenant is felt in its own shard alone. They drive one controller, whose workers take keys
// from the shards in turn.
//
// Without -kubeconfig it runs on an API server in this process, for some seconds, and shows what can be done to shards while they
// are in use: see demo.go. With -kubeconfig it runs on that cluster until Ctrl-C, and prints a table now and then.
package main

import (
	"context"
	"flag"
	"io"
	"log"
	"os"
	"os/signal"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/clientcmd"
	"vedette.dev/controller"
	"vedette.dev/rest"
	"vedette.dev/runner"
	"vedette.dev/shard"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the cluster to look at; none means an API server in this process")
	selects := flag.Bool("select", false, "the server in this process selects by hash, as one with ShardedListAndWatch does")
	limit := flag.Float64("limit", 100, "how many changes of a shard are applied in a second")
	every := flag.Duration("every", 5*time.Second, "how often to print a table")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := func() error {
		if *kubeconfig == "" {
			return demo(ctx, apitest.Config{ShardSelectors: *selects}, *limit, os.Stdout)
		}
		config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
		if err != nil {
			return err
		}
		p, err := newProgram(config, *limit, os.Stdout)
		if err != nil {
			return err
		}
		return p.run(ctx, func(ctx context.Context) error { return p.watch(ctx, *every) })
	}()
	if err != nil {
		log.Fatal(err)
	}
}

type program struct {
	informer *shard.TypedShardingInformer[*corev1.Pod]
	pods     *controller.Controller[cache.ObjectName]
	out      io.Writer

	mu         sync.Mutex
	reconciled map[string]int // by shard
}

func newProgram(config *rest.Config, limit float64, out io.Writer) (*program, error) {
	p := &program{out: out, reconciled: map[string]int{}}
	var err error
	// Eight equal parts of all hashes. Names such as tenant-17 do not spread evenly over those, so the informer chooses other
	// parts as soon as it knows what is there.
	p.informer, err = shard.NewTypedShardingInformer(shard.Config[*corev1.Pod]{
		Resource: corev1.SchemeGroupVersion.WithResource("pods"),
		REST:     config,
		Source:   shard.Hash(shard.ByNamespace(), 8),
	})
	if err != nil {
		return nil, err
	}
	// The namespaces of a tenant are in one shard or a few. What they change faster than this is coalesced by key, and pods beyond
	// the first fifty thousand are left out; the other shards are not affected.
	var limited []shard.Shard
	for _, s := range p.informer.Shards() {
		s.Limits = shard.Limits{Objects: 50_000, EventsPerSecond: limit}
		limited = append(limited, s.Shard)
	}
	if err := p.informer.SetShards(limited...); err != nil {
		return nil, err
	}
	p.pods, err = controller.New(controller.Config[cache.ObjectName]{
		Name:    "pods",
		Workers: 4,
		Sources: []controller.Source[cache.ObjectName]{controller.For(p.informer)},
		// Shards take turns. A pod that is gone is in no shard: those are one more that takes its turn.
		Tenant: func(name cache.ObjectName) string {
			id, _ := p.informer.ShardOf(name.String())
			return id
		},
		Reconcile: p.reconcile,
	})
	return p, err
}

// reconcile is where the work would be done.
func (p *program) reconcile(_ context.Context, name cache.ObjectName) (controller.Result, error) {
	pod, err := p.informer.Lister().ByNamespace(name.Namespace).Get(name.Name)
	if err != nil {
		return controller.Result{}, nil // it is gone
	}
	id, _ := p.informer.ShardOf(cache.MetaObjectToName(pod).String())
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reconciled[id]++
	return controller.Result{}, nil
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

// watch prints a table now and then.
func (p *program) watch(ctx context.Context, every time.Duration) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
			p.table(time.Now().Format(time.TimeOnly))
		}
	}
}
