package harness

import (
	"fmt"
	"io"
	"time"
)

// Record is a run written down for others: what was measured, where, and how.
type Record struct {
	Date    time.Time
	Command string
	Repeats int
	Machine Machine
	Results []Result
}

// WriteMarkdown writes the record as a Markdown page.
func (r Record) WriteMarkdown(out io.Writer) {
	fmt.Fprint(out, "# Benchmark record\n\n")
	for _, fact := range r.facts() {
		if fact[1] != "" {
			fmt.Fprintf(out, "- %s: %s\n", fact[0], fact[1])
		}
	}
	fmt.Fprint(out, "\nMedians over the repeats; less is better everywhere. The ratio is the right side over\n"+
		"the left one, min–max its extremes within one repeat.\n\n")
	for _, t := range tables(r.Results) {
		t.markdown(out)
	}
	fmt.Fprint(out, "## Workloads\n\n")
	for _, res := range r.Results {
		fmt.Fprintf(out, "- `%s`: %s\n", res.Workload.Name, res.Workload.Doc)
	}
}

// procs is empty if the program uses all cores.
func (m Machine) procs() string {
	if m.Procs == m.Cores || m.Procs == 0 {
		return ""
	}
	return fmt.Sprint(m.Procs)
}

// facts are the lines above the table; one without a value is left out.
func (r Record) facts() [][2]string {
	m := r.Machine
	return [][2]string{
		{"Date", r.Date.UTC().Format("2006-01-02 15:04 MST")},
		{"CPU", fmt.Sprintf("%s, %d cores", m.CPU, m.Cores)},
		{"GOMAXPROCS", m.procs()},
		{"Memory", m.Memory},
		{"System", m.System},
		{"Go", m.Go},
		{"client-go", m.ClientGo},
		{"controller-runtime", m.Runtime},
		{"Vedette", m.Vedette},
		{"Command", "`" + r.Command + "`"},
		{"Repeats", fmt.Sprint(r.Repeats)},
		{"Load before the run", m.Load},
	}
}
