package list

import (
	"fmt"
	"strings"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/pods"
)

// Workloads lists all workloads of this package: each way to read a list, in both encodings.
func Workloads() []harness.Workload {
	var out []harness.Workload
	for _, e := range []pods.Encoding{pods.Protobuf, pods.JSON} {
		for _, w := range ways {
			out = append(out, workload(e, w))
		}
	}
	return out
}

func workload(e pods.Encoding, w way) harness.Workload {
	return harness.Workload{
		Name: fmt.Sprintf("list/%s-%s", strings.ToLower(e.String()), w.name),
		Doc:  fmt.Sprintf("List 100,000 pods over HTTP in %s: %s.", e, w.doc),
		Rows: []harness.Row{
			{Value: harness.Wall},
			{Value: harness.CPU, Aim: harness.Ratio(w.cpu)},
			{Value: extraMemory, Unit: harness.Bytes, Aim: w.memory},
		},
		Prepare: func(c harness.Config) (harness.Trial, error) { return newTrial(c, e, w) },
	}
}
