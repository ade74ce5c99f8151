package watch

import (
	"fmt"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/internal/podcache"
	"vedette.dev/bench/pods"
	"vedette.dev/cache"
)

const leastPods = 200

var (
	// many is for protobuf. JSON takes client-go ten times as long, so there are fewer.
	many = size{pods: 100_000, events: 300_000}
	few  = size{pods: 3_000, events: 9_000}
	// some is how many pods there are where the number does not matter.
	some = 10_000
	// fewRepeats is for JSON, which takes client-go long.
	fewRepeats = 3
	// needed is the memory that client-go needs beside a slow handler, and a little more.
	needed uint64 = 7 << 30
)

// The ways to keep objects.
var (
	live      = podcache.Config{Encoding: pods.Protobuf}
	shared    = podcache.Config{Encoding: pods.Protobuf, Storage: cache.Storage{Shared: true}}
	packed    = podcache.Config{Encoding: pods.Protobuf, Storage: cache.Storage{Packed: true}}
	projected = podcache.Config{Encoding: pods.Protobuf, Storage: cache.Storage{Packed: true, Keep: podcache.FiveFields}}
)

// keys is for a handler that only receives keys.
func keys(c podcache.Config) podcache.Config {
	c.Keys = true
	return c
}

// bridged is for the informer in a cache of controller-runtime.
func bridged(c podcache.Config) podcache.Config {
	c.Bridge = true
	return c
}

func inJSON(c podcache.Config) podcache.Config {
	c.Encoding = pods.JSON
	return c
}

func unstructured(c podcache.Config) podcache.Config {
	c = inJSON(c)
	c.Unstructured = true
	return c
}

// Workloads lists all workloads of this package.
func Workloads() []harness.Workload {
	out := []harness.Workload{
		flows("live", "protobuf", live, many, limits{time: 1.0 / 3, allocs: 0.6}),
		flows("shared", "protobuf", shared, many, limits{time: 1.0 / 3, allocs: 0.6}),
		flows("packed-keys", "protobuf", keys(packed), many, limits{time: 1.0 / 6, allocs: 0.05}),
		flows("packed", "protobuf", packed, many, limits{}),
		flows("projected", "protobuf", projected, many, limits{time: 1.0 / 4, allocs: 0.1}),
		flows("json-live", "json", inJSON(live), few, limits{time: 1.0 / 2}),
		flows("json-packed-keys", "json", inJSON(keys(packed)), few, limits{time: 1.0 / 10}),
		flows("json-packed", "json", inJSON(packed), few, limits{}),
		flows("unstructured-live", "unstructured", unstructured(live), few, limits{time: 1.0 / 2}),
		flows("unstructured-shared", "unstructured", unstructured(shared), few, limits{time: 1.0 / 2}),
		flows("unstructured-packed-keys", "unstructured", unstructured(keys(packed)), few, limits{time: 1.0 / 10}),
		flows("unstructured-packed", "unstructured", unstructured(packed), few, limits{}),
		flows("bridge-live", "bridge", bridged(live), many, limits{time: 1.05 / 3}),
		flows("bridge-shared", "bridge", bridged(shared), many, limits{time: 1.05 / 3}),
		flows("bridge-packed", "bridge", bridged(packed), many, limits{}),
		flows("bridge-projected", "bridge", bridged(projected), many, limits{time: 1.05 / 4}),
		flows("bridge-unstructured-live", "bridge-unstructured", bridged(unstructured(live)), few, limits{time: 1.05 / 2}),
		flows("bridge-unstructured-packed", "bridge-unstructured", bridged(unstructured(packed)), few, limits{}),
		slows("live", live),
		slows("packed", packed),
		reading("live", live),
		reading("packed", packed),
	}
	for i := range out {
		switch w := &out[i]; w.Together {
		case "watch/json", "watch/unstructured", "watch/bridge", "watch/bridge-unstructured":
			w.MaxRepeats = fewRepeats
		}
		out[i].Memory = needed
	}
	return out
}

// limits are the aims of a flow, as ratios. Zero means none.
type limits struct{ time, allocs float64 }

func ratio(limit float64) harness.Aim {
	if limit == 0 {
		return harness.Aim{}
	}
	return harness.Ratio(limit)
}

// kept is the storage, in words.
func kept(c podcache.Config) string {
	switch {
	case len(c.Storage.Keep) > 0:
		return "packed, five fields of them"
	case c.Storage.Packed:
		return "packed"
	case c.Storage.Shared:
		return "decoded, equal parts once"
	}
	return "decoded"
}

func flows(name, together string, c podcache.Config, s size, l limits) harness.Workload {
	told, form := "looks at the name of the pod that it is given", c.Encoding.String()
	if c.Keys {
		told = "looks at the key that it is given"
	}
	if c.Unstructured {
		form += ", as unstructured objects"
	}
	if c.Bridge {
		form += ", to controller-runtime's cache, with and without the bridge,"
	}
	return harness.Workload{
		Name: "watch/" + name,
		Doc: fmt.Sprintf("%d changes of %d pods come over HTTP in %s as fast as they are read, the time for one; vedette keeps pods %s, and its handler %s.",
			s.events, s.pods, form, kept(c), told),
		Together: "watch/" + together,
		Rows: []harness.Row{
			{Value: harness.Wall, Aim: ratio(l.time)},
			{Value: harness.CPU},
			{Value: harness.Allocs, Unit: harness.Count, Aim: ratio(l.allocs)},
			{Value: harness.Volume, Unit: harness.Bytes},
			{Value: callsAnEvent, Unit: harness.Count},
		},
		Prepare: newFlow(c, s),
	}
}

func slows(name string, c podcache.Config) harness.Workload {
	return harness.Workload{
		Name: "watch/slow-handler-" + name,
		Doc: fmt.Sprintf("%d changes a second of %d pods, or as many as are read, come for 10 s to a handler that needs 1 ms for each; what is reachable then; vedette keeps pods %s.",
			slowRate, some, kept(c)),
		Together: "watch/slow",
		Rows: []harness.Row{
			{Value: heldHeap, Unit: harness.Bytes},
			{Value: eventsRead, Unit: harness.Count},
			{Value: callsHeld, Unit: harness.Count},
			{Value: callsLeft, Unit: harness.Count},
		},
		Prepare: newSlow(c, some),
	}
}

func reading(name string, c podcache.Config) harness.Workload {
	return harness.Workload{
		Name: "watch/readers-" + name,
		Doc: fmt.Sprintf("%d changes a second of %d pods, while %d goroutines look pods up and list namespaces without pause, until the store has each; the time for a change would be %d µs if nothing held them up; vedette keeps pods %s.",
			readersRate, some, readerCount, 1_000_000/readersRate, kept(c)),
		Together: "watch/readers",
		Rows: []harness.Row{
			{Value: p99Store, Aim: harness.Ratio(1.0 / 3)},
			{Value: p50Store},
			{Value: aChange},
			{Value: aCall},
			{Value: aRead},
		},
		Prepare: newReaders(c, some),
	}
}
