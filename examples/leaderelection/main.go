// Leaderelection runs three replicas, of which one leads. It is stopped, and gives the lock back when its work has ended; then
// another leads. With -kubeconfig the lock is a Lease in the namespace default of that cluster, and all goes on until Ctrl-C.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"sync"
	"time"

	"vedette.dev/examples/internal/cluster"
	"vedette.dev/leaderelection"
	"vedette.dev/leaderelection/resourcelock"
	"vedette.dev/rest"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of the cluster to use; none means an API server in this process")
	flag.Parse()
	config, end, err := cluster.Connect(*kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	defer end()
	ctx, stop := cluster.Context(*kubeconfig, 3*time.Second)
	defer stop()
	var replicas sync.WaitGroup
	for i := range 3 {
		// Replicas are processes, and their identities are different each time: the host name and something random.
		replicas.Go(func() { replica(ctx, config, fmt.Sprintf("replica-%d-%d", i, time.Now().UnixNano())) })
	}
	replicas.Wait()
}

// replica takes part until ctx ends. Usual times are 15, 10 and 2 seconds; these are for the impatient.
func replica(ctx context.Context, config *rest.Config, identity string) {
	const renewDeadline = 700 * time.Millisecond
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, "default", "vedette-example",
		resourcelock.ResourceLockConfig{Identity: identity}, config, renewDeadline)
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock:            lock,
		LeaseDuration:   time.Second,
		RenewDeadline:   renewDeadline,
		RetryPeriod:     100 * time.Millisecond,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				time.AfterFunc(600*time.Millisecond, cancel) // its time is over
				work(leading, identity)
			},
			OnStoppedLeading: func() { fmt.Printf("%s is out\n", identity) },
		},
	})
}

// work must return when ctx ends: the lock is given back only then.
func work(ctx context.Context, identity string) {
	term, _ := leaderelection.Term(ctx)
	for ctx.Err() == nil {
		fmt.Printf("%s leads, in term %d\n", identity, term)
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
	fmt.Printf("%s has put its tools away\n", identity)
}
