package memory

import (
	"fmt"
	"slices"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/internal/podcache"
	"vedette.dev/bench/pods"
	"vedette.dev/cache"
)

const (
	manyPods = 100_000
	// fewPods is for JSON, which takes client-go eight times as long, and for reads, which need no more.
	fewPods   = 10_000
	leastPods = 200
	// fewRepeats is for what takes client-go long, and where no aim is close.
	fewRepeats = 3
	// needed is the memory that client-go needs for a relist, and a little more.
	needed = 7 << 30
	// bridgeMore is what an informer may take more in a program of controller-runtime.
	bridgeMore = 1.05
)

// The ways to keep objects, each with the handler that goes with it.
var (
	live      = podcache.Config{Encoding: pods.Protobuf}
	shared    = podcache.Config{Encoding: pods.Protobuf, Storage: cache.Storage{Shared: true}}
	packed    = podcache.Config{Encoding: pods.Protobuf, Keys: true, Storage: cache.Storage{Packed: true}}
	classic   = podcache.Config{Encoding: pods.Protobuf, Storage: cache.Storage{Packed: true}}
	projected = podcache.Config{Encoding: pods.Protobuf, Storage: cache.Storage{Packed: true, Keep: podcache.FiveFields}}
	stripped  = podcache.Config{Encoding: pods.Protobuf, Storage: cache.Storage{Drop: []string{cache.DropManagedFields}}, Strip: true}
)

func inJSON(c podcache.Config) podcache.Config {
	c.Encoding = pods.JSON
	return c
}

func unstructured(c podcache.Config) podcache.Config {
	c = inJSON(c)
	c.Unstructured = true
	return c
}

// bridged is for the informer in a cache of controller-runtime.
func bridged(c podcache.Config) podcache.Config {
	c.Keys, c.Bridge = false, true
	return c
}

// Workloads lists all workloads of this package.
func Workloads() []harness.Workload {
	out := []harness.Workload{
		syncs("sync-live", live, manyPods, limits{heap: 0.60, rss: 0.50, time: 0.40}),
		syncs("sync-shared", shared, manyPods, limits{heap: 0.41, rss: 0.50, time: 0.40}),
		syncs("sync-packed", packed, manyPods, limits{heap: 0.10, rss: 0.15, time: 0.40}),
		syncs("sync-packed-classic", classic, manyPods, limits{heap: 0.10, rss: 0.15}),
		syncs("sync-projected", projected, manyPods, limits{heap: 0.03, rss: 0.10, time: 0.30}),
		syncs("sync-stripped", stripped, manyPods, limits{}),
		syncs("sync-json-live", inJSON(live), fewPods, limits{heap: 0.65}),
		syncs("sync-json-packed", inJSON(packed), fewPods, limits{}),
		syncs("sync-json-projected", inJSON(projected), fewPods, limits{}),
		syncs("unstructured-live", unstructured(live), fewPods, limits{}),
		syncs("unstructured-shared", unstructured(shared), fewPods, limits{}),
		syncs("unstructured-packed", unstructured(packed), fewPods, limits{heap: 0.05}),
		relists("live", live, 1.25),
		relists("shared", shared, 1.25),
		relists("packed", packed, 1.10),
		relists("projected", projected, 1.10),
		shrinks("live", live),
		shrinks("shared", shared),
		shrinks("packed", packed),
		syncs("bridge-live", bridged(live), manyPods, limits{heap: 0.60 * bridgeMore, rss: 0.50 * bridgeMore, time: 0.40 * bridgeMore}),
		syncs("bridge-shared", bridged(shared), manyPods, limits{heap: 0.41 * bridgeMore, rss: 0.50 * bridgeMore, time: 0.40 * bridgeMore}),
		syncs("bridge-packed", bridged(packed), manyPods, limits{heap: 0.10 * bridgeMore, rss: 0.15 * bridgeMore}),
		syncs("bridge-projected", bridged(projected), manyPods, limits{heap: 0.03 * bridgeMore, rss: 0.10 * bridgeMore, time: 0.30 * bridgeMore}),
		syncs("bridge-unstructured-live", bridged(unstructured(live)), fewPods, limits{}),
		syncs("bridge-unstructured-packed", bridged(unstructured(packed)), fewPods, limits{heap: 0.05 * bridgeMore}),
	}
	group(out[0:5], "sync", 0)
	group(out[5:6], "stripped", fewRepeats)
	group(out[6:9], "json", fewRepeats)
	group(out[9:12], "unstructured", fewRepeats)
	group(out[12:16], "relist", 0)
	group(out[16:19], "shrink", 0)
	group(out[19:23], "bridge", fewRepeats)
	group(out[23:25], "bridge-unstructured", fewRepeats)
	return slices.Concat(out, reads(), selects(), lists())
}

// group has workloads measured together, which have the same client-go side.
func group(workloads []harness.Workload, name string, repeats int) {
	for i := range workloads {
		w := &workloads[i]
		w.Together, w.MaxRepeats, w.Memory = "memory/"+name, repeats, needed
	}
}

// limits are the aims of a start, as ratios. Zero means none.
type limits struct{ heap, rss, time float64 }

func ratio(limit float64) harness.Aim {
	if limit == 0 {
		return harness.Aim{}
	}
	return harness.Ratio(limit)
}

// told is what the handler is given, in words.
func told(c podcache.Config) string {
	if c.Keys {
		return "is given the key only"
	}
	return "is given the pod"
}

// where says what the informer is part of.
func where(c podcache.Config) string {
	if c.Bridge {
		return " in controller-runtime's cache, with and without the bridge,"
	}
	return ""
}

// form is the encoding and the kind of objects, in words.
func form(c podcache.Config) string {
	if c.Unstructured {
		return "JSON, as unstructured objects"
	}
	return c.Encoding.String()
}

// kept is the storage, in words.
func kept(c podcache.Config) string {
	switch {
	case c.Strip:
		return "decoded without managed fields, which client-go strips by a transform"
	case len(c.Storage.Keep) > 0:
		return "packed, five fields of them"
	case c.Storage.Packed:
		return "packed"
	case c.Storage.Shared:
		return "decoded, equal parts once"
	}
	return "decoded"
}

func syncs(name string, c podcache.Config, size int, l limits) harness.Workload {
	return harness.Workload{
		Name: "memory/" + name,
		Doc: fmt.Sprintf("The start of an informer%s of %d pods over HTTP in %s, until the store and a handler, which in vedette %s, have all; vedette keeps them %s. Kept heap is the store with all that the informer holds.",
			where(c), size, form(c), told(c), kept(c)),
		Rows: []harness.Row{
			{Value: timeToSync, Aim: ratio(l.time)},
			{Value: cpuToSync},
			{Value: peakRSS, Unit: harness.Bytes, Aim: ratio(l.rss)},
			{Value: harness.Kept, Unit: harness.Bytes, Aim: ratio(l.heap)},
		},
		Prepare: newSyncing(c, size),
	}
}

func relists(name string, c podcache.Config, most float64) harness.Workload {
	return harness.Workload{
		Name: "memory/relist-" + name,
		Doc: fmt.Sprintf("The watch of an informer of %d pods ends with 410, and of the next list one pod in a thousand has changed and one is gone; until the handler was notified of all; vedette keeps pods %s.",
			manyPods, kept(c)),
		Rows: []harness.Row{
			{Value: relistPeak, Unit: harness.Count, Aim: harness.AtMost(most)},
			{Value: peakRSS, Unit: harness.Bytes},
			{Value: relistTime},
			{Value: relistCalls, Unit: harness.Count},
			{Value: relistAlloc, Unit: harness.Bytes},
			{Value: harness.CPU},
		},
		Prepare: newRelist(c, manyPods),
	}
}

func shrinks(name string, c podcache.Config) harness.Workload {
	return harness.Workload{
		Name: "memory/shrink-" + name,
		Doc:  fmt.Sprintf("Of %d pods 99 %% are deleted, with an event each; the heap of the informer after two collections; vedette keeps pods %s.", manyPods, kept(c)),
		Rows: []harness.Row{
			{Value: heapLeft, Unit: harness.Count, Aim: harness.AtMost(0.03)},
			{Value: heapBefore, Unit: harness.Bytes},
			{Value: heapAfter, Unit: harness.Bytes},
		},
		Prepare: newShrink(c, manyPods),
	}
}
