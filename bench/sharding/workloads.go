package sharding

import (
	"fmt"
	"time"

	"vedette.dev/bench/harness"
	"vedette.dev/shard"
)

const (
	// manyObjects is how many small pods there are, and realPods how many of those that are as in a real cluster.
	manyObjects = 100_000
	realPods    = 20_000
	// leastObjects is how many there are in a tiny run.
	leastObjects = 100
	// tenants is how many there are beside and including the noisy one.
	tenants = 10
	// slowNeeds is how long a slow handler takes.
	slowNeeds = 200 * time.Microsecond
)

var (
	classic = harness.Sides{Baseline: harness.ClientGo, Candidate: harness.Vedette}
	toPlain = harness.Sides{Baseline: plain, Candidate: harness.Vedette}
)

// small is a server of many small pods, and its history is long enough for all changes of flow.
func small(selects bool) spec {
	return spec{Objects: manyObjects, Namespaces: 100, Selects: selects, History: 2 * (rounds + 1) * manyObjects}
}

func (s spec) scaled(c harness.Config) spec {
	s.Objects = c.Size(s.Objects, leastObjects)
	return s
}

func byUID(n int) shard.Source { return shard.Hash(shard.ByUID(), n) }

// Workloads lists all workloads of this package.
func Workloads() []harness.Workload {
	var out []harness.Workload
	for _, n := range []int{1, 4, 8} {
		out = append(out, syncs(fmt.Sprintf("sync-%d", n), classic, n, true))
	}
	out = append(out,
		syncs("sync-8-shared", classic, 8, false),
		syncs("sync-1-vs-plain", toPlain, 1, true),
		syncs("sync-8-vs-plain", toPlain, 8, true),
		syncs("sync-8-shared-vs-plain", toPlain, 8, false),
	)
	for _, n := range []int{1, 4, 8} {
		out = append(out, flows(fmt.Sprintf("throughput-%d", n), classic, n, true))
	}
	out = append(out,
		flows("throughput-8-shared", classic, 8, false),
		flows("throughput-1-vs-plain", toPlain, 1, true),
		flows("throughput-8-vs-plain", toPlain, 8, true),
		flows("throughput-8-shared-vs-plain", toPlain, 8, false),
	)
	return append(out, append(noises(),
		memory("memory", classic, harness.Aim{}),
		memory("memory-vs-plain", toPlain, harness.Ratio(1.10)))...)
}

// shards is so many in words.
func shards(n int, selects bool) string {
	switch {
	case n == 1:
		return "one shard"
	case selects:
		return fmt.Sprintf("%d shards by UID with a watch each", n)
	}
	return fmt.Sprintf("%d shards by UID with one watch for all, from a server that does not select", n)
}

func syncs(name string, sides harness.Sides, n int, selects bool) harness.Workload {
	return harness.Workload{
		Name:    "sharding/" + name,
		Doc:     fmt.Sprintf("The start of an informer of 100,000 pods of 1 KB over HTTP, until the store and a handler have all, the time for each; vedette has %s.", shards(n, selects)),
		Sides:   sides,
		Rows:    []harness.Row{{Value: harness.Wall}, {Value: harness.CPU}},
		Prepare: newSyncing(small(selects), byUID(n)),
	}
}

func flows(name string, sides harness.Sides, n int, selects bool) harness.Workload {
	return harness.Workload{
		Name:    "sharding/" + name,
		Doc:     fmt.Sprintf("Each of 100,000 pods of 1 KB changes twice, as fast as a server on the same machine writes and sends, until a handler that counts was notified of each; vedette has %s.", shards(n, selects)),
		Sides:   sides,
		Rows:    []harness.Row{{Value: harness.Wall}, {Value: harness.CPU}},
		Prepare: newFlow(small(selects), byUID(n)),
	}
}

// noises are the workloads with a noisy tenant.
func noises() []harness.Workload {
	names := make([]string, tenants)
	for i := range names {
		names[i] = (&spec{Namespaces: tenants}).namespace(i)
	}
	byNamespace, byLabel := shard.Namespaces(names...), shard.LabelValues(tenantLabel, names...)
	var out []harness.Workload
	for _, needs := range []time.Duration{0, slowNeeds} {
		out = append(out,
			noisyTenant("noisy", classic, needs, byNamespace),
			noisyTenant("noisy-vs-plain", toPlain, needs, byNamespace),
			noisyTenant("noisy-one-watch", classic, needs, byLabel),
			noisyTenant("noisy-one-watch-vs-plain", toPlain, needs, byLabel),
		)
	}
	return out
}

// noisyTenant is one of them. The shards have a watch each if they are by namespace, and one for all if they are by label.
func noisyTenant(name string, sides harness.Sides, needs time.Duration, source shard.Source) harness.Workload {
	doc := "Ten tenants of 1,000 pods each, of which one changes as fast as the server can and nine 20 times a second; from the write of a quiet one to the call of a handler"
	if needs > 0 {
		name += "-slow"
		doc += fmt.Sprintf(" that takes %v", needs)
	}
	return harness.Workload{
		Name:  "sharding/" + name,
		Doc:   doc + "; vedette has ten shards.",
		Sides: sides,
		Rows: []harness.Row{
			{Value: p99Quiet},
			{Value: p50Quiet},
			{Value: unheard, Unit: harness.Count},
			{Value: noiseMax, Unit: harness.Count},
		},
		Prepare: newNoisy(needs, source),
	}
}

func memory(name string, sides harness.Sides, aim harness.Aim) harness.Workload {
	return harness.Workload{
		Name:    "sharding/" + name,
		Doc:     "The start of an informer of 20,000 pods as those of a real cluster; vedette has 8 shards by UID. Kept heap is what the store and the informer hold.",
		Sides:   sides,
		Rows:    []harness.Row{{Value: harness.Kept, Unit: harness.Bytes, Aim: aim}, {Value: harness.Wall}, {Value: harness.CPU}},
		Prepare: newSyncing(spec{Objects: realPods, Realistic: true, Namespaces: 1, Selects: true}, byUID(8)),
	}
}
