package harness

import (
	"strings"
	"testing"
	"time"
)

// exampleResults has a workload with two rows, and one whose candidate runs alone.
func exampleResults() []Result {
	sample := func(wall, p99 float64) Sample {
		return Sample{Wall: wall, CPU: 2 * wall, "p99": p99, Allocs: 1, Volume: 64, Peak: 2 << 20, Kept: 0}
	}
	return []Result{
		{
			Workload: Workload{Name: "q/hot", Doc: "Adds hot keys.", Rows: []Row{
				{Value: Wall, Aim: Ratio(0.5)},
				{Value: "p99", Aim: AtMost(1000)},
			}},
			baseline:  []Sample{sample(200, 3e6), sample(100, 3e6)},
			candidate: []Sample{sample(50, 2000), sample(50, 2000)},
		},
		{
			Workload:  Workload{Name: "q/fair", Doc: "Is fair.", Sides: Sides{Candidate: "fair"}},
			candidate: []Sample{sample(10, 0)},
		},
	}
}

func TestTextTable(t *testing.T) {
	want := `
workload    client-go  vedette    ratio          min–max           cpu/op    allocs/op     bytes/op            peak heap  kept heap        aim  met
q/hot          150 ns  50.0 ns     0.33        0.25–0.50  300 ns → 100 ns  1.00 → 1.00  64.0 → 64.0  2.00 MiB → 2.00 MiB  0 B → 0 B     ≤ 0.50  yes
q/hot: p99    3.00 ms  2.00 µs  0.00067  0.00067–0.00067                                                                             ≤ 1.00 µs   no

workload  –     fair  ratio  min–max   cpu/op  allocs/op  bytes/op  peak heap  kept heap  aim  met
q/fair    –  10.0 ns      –        –  20.0 ns       1.00      64.0   2.00 MiB        0 B    –    –
`
	var b strings.Builder
	WriteText(&b, exampleResults())
	if got := b.String(); got != strings.TrimPrefix(want, "\n") {
		t.Errorf("got:\n%s\nwant:%s", got, want)
	}
}

func TestRecord(t *testing.T) {
	var b strings.Builder
	Record{
		Date:    time.Date(2030, 1, 2, 3, 4, 0, 0, time.UTC),
		Command: "go run . -repeats 2",
		Repeats: 2,
		Machine: Machine{CPU: "Abacus", Cores: 2, Go: "go1.26", ClientGo: "v0.37.2"},
		Results: exampleResults(),
	}.WriteMarkdown(&b)
	for _, line := range []string{
		"- Date: 2030-01-02 03:04 UTC",
		"- CPU: Abacus, 2 cores",
		"- client-go: v0.37.2",
		"- Command: `go run . -repeats 2`",
		"| workload | client-go | vedette | ratio | min–max | cpu/op | allocs/op | bytes/op | peak heap | kept heap | aim | met |",
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
		"| q/hot: p99 | 3.00 ms | 2.00 µs | 0.00067 | 0.00067–0.00067 |  |  |  |  |  | ≤ 1.00 µs | no |",
		"- `q/fair`: Is fair.",
	} {
		if !strings.Contains(b.String(), line+"\n") {
			t.Errorf("the record lacks the line %q:\n%s", line, b.String())
		}
	}
	if strings.Contains(b.String(), "Vedette:") {
		t.Error("the record shows a fact that is not known")
	}
}
