package memory

import (
	"fmt"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/internal/podcache"
)

// reads are the workloads that look pods up. To decode one takes some hundred times as long as to find it, hence the numbers.
func reads() []harness.Workload {
	const found, decoded = 2_000_000, 50_000
	hot := []harness.Row{{Value: harness.Wall, Aim: harness.Ratio(1)}}
	cold := []harness.Row{{Value: harness.Wall}, {Value: toUnmarshal, Unit: harness.Count, Aim: harness.AtMost(2)}, {Value: unmarshal}}
	return []harness.Workload{
		read("live", live, way{reads: found}, []harness.Row{
			{Value: harness.Wall, Aim: harness.Ratio(1.1)},
			{Value: harness.Allocs, Unit: harness.Count, Aim: harness.AtMost(0.01)},
		}),
		read("packed-hot", packed, way{hot: true, copies: true, reads: decoded}, hot),
		read("packed-cold", packed, way{copies: true, reads: decoded}, cold),
		read("projected", projected, way{copies: true, reads: decoded}, hot),
	}
}

func read(name string, c podcache.Config, w way, rows []harness.Row) harness.Workload {
	which, copies := "in a random order", ""
	if w.hot {
		which = fmt.Sprintf("%d of them again and again", hotPods)
	}
	if w.copies {
		copies = "; client-go's caller copies what it gets"
	}
	return harness.Workload{
		Name:    "memory/get-" + name,
		Doc:     fmt.Sprintf("Get of one of %d pods through the lister, %s; vedette keeps pods %s%s.", fewPods, which, kept(c), copies),
		Rows:    rows,
		Prepare: newReading(c, fewPods, w),
	}
}

// selects are the workloads that list by a selector.
func selects() []harness.Workload {
	return []harness.Workload{selected("live", live), selected("packed", packed)}
}

func selected(name string, c podcache.Config) harness.Workload {
	return harness.Workload{
		Name:    "memory/list-selector-" + name,
		Doc:     fmt.Sprintf("List of %d pods by a selector that matches one in a hundred, the time for a list; vedette keeps pods %s.", fewPods, kept(c)),
		Prepare: newSelecting(c, fewPods, 20),
	}
}
