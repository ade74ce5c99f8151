package indexer

import (
	"time"

	"vedette.dev/bench/harness"
)

// The number of objects, at the full size and at least.
const (
	count      = 100_000
	smallCount = 2000
)

// Workloads lists all workloads of this package.
func Workloads() []harness.Workload {
	return []harness.Workload{
		{
			Name:    "indexer/fill",
			Doc:     "Add 100,000 objects to an empty store with 3 indexes. The kept heap is all that the store adds to the objects.",
			Rows:    []harness.Row{{Value: harness.Wall, Aim: harness.Ratio(1.0)}},
			Prepare: newAlone(0, false, add),
		},
		{
			Name:    "indexer/update",
			Doc:     "Update objects in a store of 100,000 with 3 indexes, whose values stay; 1,000,000 times.",
			Rows:    []harness.Row{{Value: harness.Wall, Aim: harness.Ratio(1.0)}},
			Prepare: newAlone(1_000_000, true, update),
		},
		{
			Name:    "indexer/get",
			Doc:     "Get objects by key from a store of 100,000; 2,000,000 times.",
			Rows:    []harness.Row{{Value: harness.Wall, Aim: harness.Ratio(1.2)}},
			Prepare: newAlone(2_000_000, true, get),
		},
		{
			Name:    "indexer/by-index",
			Doc:     "The 1,000 objects of a namespace, by index, from a store of 100,000; 5,000 times.",
			Rows:    []harness.Row{{Value: harness.Wall, Aim: harness.Ratio(0.5)}},
			Prepare: newAlone(5_000, true, byIndex),
		},
		{
			Name:    "indexer/list",
			Doc:     "List a store of 100,000 objects; 200 times.",
			Rows:    []harness.Row{{Value: harness.Wall, Aim: harness.Ratio(0.5)}},
			Prepare: newAlone(200, true, list),
		},
		{
			Name: "indexer/get-beside-writer",
			Doc:  "4 readers Get, 400,000 times each, beside 1 writer as fast as it can; 100,000 objects, 3 indexes.",
			Rows: []harness.Row{
				{Value: p99Read, Aim: harness.Ratio(0.5)},
				{Value: p50Read},
				{Value: perWrite, Aim: harness.Ratio(1.0)},
			},
			Prepare: newBeside(4, 400_000, 0, readOne),
		},
		{
			// Both sides write as much here. As fast as it goes, readers that never wait leave a writer less of two processors than
			// readers that sleep, and the scheduler is measured, too.
			Name: "indexer/get-beside-paced-writer",
			Doc:  "The same at 40,000 writes/s.",
			Rows: []harness.Row{
				{Value: p99Read, Aim: harness.Ratio(1.0)},
				{Value: p50Read},
				{Value: p99Write, Aim: harness.Ratio(1.0)},
				{Value: perWrite},
			},
			Prepare: newBeside(4, 400_000, 40_000, readOne),
		},
		{
			Name: "indexer/mix-beside-writer",
			Doc:  "4 readers, 50,000 reads each, of which 1 in 10 is a ByIndex of 1,000 and 1 in 1,000 a List of 100,000, beside 1 writer at 40,000 writes/s.",
			Rows: []harness.Row{
				{Value: p99Read, Aim: harness.Ratio(0.5)},
				{Value: p50Read},
				{Value: p99Write},
				{Value: perWrite},
			},
			Prepare: newBeside(4, 50_000, 40_000, readMix),
		},
		{
			Name: "indexer/writer-beside-readers",
			Doc:  "64 readers List 100,000 and ByIndex 1,000 in turns, 20 times each, beside 1 writer at 20,000 writes/s.",
			Rows: []harness.Row{
				{Value: perWrite, Aim: harness.Ratio(0.33)},
				{Value: p99Write, Aim: harness.AtMost(float64(10 * time.Millisecond))},
			},
			Prepare: newBeside(64, 20, 20_000, readMuch),
		},
	}
}
