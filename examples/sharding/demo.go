package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/shard"
)

// tenants is the number of namespaces, noisy the one that changes most.
const tenants, noisy = 60, 9

// podsOf returns the number of pods of a tenant, which varies.
func podsOf(tenant int) int {
	if tenant == noisy {
		return 300
	}
	return 10 + tenant*tenant%97
}

func namespaceOf(tenant int) string { return fmt.Sprintf("tenant-%02d", tenant) }

// demo runs the program on an API server in this process, with some thousand pods, and shows a burst of changes, a
// split and a rebalance.
func demo(ctx context.Context, config apitest.Config, limit float64, out io.Writer) error {
	server, err := apitest.Start(config)
	if err != nil {
		return err
	}
	defer server.Close()
	for tenant := range tenants {
		if err := addPods(ctx, server, tenant, "web", podsOf(tenant)); err != nil {
			return err
		}
	}
	p, err := newProgram(server.RESTConfig(), limit, out)
	if err != nil {
		return err
	}
	return p.run(ctx, func(ctx context.Context) error { return p.show(ctx, server) })
}

// addPods adds pods to the namespace of a tenant.
func addPods(ctx context.Context, server *apitest.Server, tenant int, name string, n int) error {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespaceOf(tenant), Name: name}}
	return server.Fill(ctx, apitest.Load{Object: pod, Count: n})
}

func (p *program) show(ctx context.Context, server *apitest.Server) error {
	select {
	case <-p.informer.HasSyncedChecker().Done():
	case <-ctx.Done():
		return nil
	}
	pause(ctx, time.Second/2) // for the first balance
	p.table("At the start")

	// One tenant changes as fast as it can. Its shard falls behind, and coalesces; the others are not affected.
	storm, err := server.Churn(ctx, apitest.Churn{Rate: 1000, Namespace: namespaceOf(noisy), Mix: apitest.Mix{Updates: 1}})
	if err != nil {
		return err
	}
	pause(ctx, 3*time.Second/2)
	p.table("In a storm of " + namespaceOf(noisy))
	storm.Stop()

	// Two shards replace the largest one. Nothing is listed again, and no handler is called, because no pod has
	// changed.
	shards := p.informer.Shards()
	largest := slices.MaxFunc(shards, func(a, b shard.State) int { return a.Objects - b.Objects })
	if err := p.informer.Split(largest.ID, largest.ID+"-a", largest.ID+"-b"); err != nil {
		return err
	}
	pause(ctx, time.Second/2)
	p.table("After the split of " + largest.ID)

	// Some tenants grow, and the ranges of hashes are chosen again. No more objects are moved than necessary.
	for tenant := range 5 {
		if err := addPods(ctx, server, 10+tenant, "more", 40); err != nil {
			return err
		}
	}
	pause(ctx, 3*time.Second/2)
	before := p.informer.Imbalance()
	moved, err := p.informer.Rebalance()
	if err != nil {
		return err
	}
	pause(ctx, time.Second/2)
	p.table(fmt.Sprintf("After 200 pods more, an imbalance of %.2f, and a rebalance that moved %.0f %%", before, 100*moved.Part))
	return nil
}

// pause waits, so that the output can be followed.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
