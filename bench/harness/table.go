package harness

import "fmt"

// table is rows of cells under one header, before it is laid out as text or as Markdown.
type table struct {
	header []string
	rows   [][]string
}

// tables puts the results into one table for each pair of sides, so that every column can
// be headed by the side it shows.
func tables(results []Result) []table {
	var out []table
	place := map[Sides]int{}
	for _, r := range results {
		s := r.Workload.sides()
		i, ok := place[s]
		if !ok {
			i = len(out)
			place[s] = i
			out = append(out, table{header: header(s)})
		}
		out[i].rows = append(out[i].rows, rowsOf(r)...)
	}
	return out
}

func header(s Sides) []string {
	base := s.Baseline
	if base == "" {
		base = none
	}
	return []string{"workload", base, s.Candidate, "ratio", "min–max",
		"cpu/op", "allocs/op", "bytes/op", "peak heap", "kept heap", "aim", "met"}
}

func rowsOf(r Result) [][]string {
	var out [][]string
	for i, row := range r.Workload.rows() {
		out = append(out, cells(r, row, i == 0))
	}
	return out
}

// cells is one line of the table. Processor time and memory belong to the run as a whole, so only
// a workload's first line shows them.
func cells(r Result, row Row, first bool) []string {
	c := r.compare(row.Value)
	out := []string{rowName(r.Workload, row), none, row.Unit.format(c.candidate), none, none}
	if len(r.baseline) > 0 {
		out[1] = row.Unit.format(c.baseline)
	}
	if c.hasRatio {
		out[3] = ratioText(c.ratio)
		out[4] = ratioText(c.low) + "–" + ratioText(c.high)
	}
	if first {
		out = append(out, both(r, CPU, Time), both(r, Allocs, Count), both(r, Volume, Count), both(r, Peak, Bytes), both(r, Kept, Bytes))
	} else {
		out = append(out, "", "", "", "", "")
	}
	return append(out, row.Aim.text(row.Unit), row.Aim.verdict(c))
}

// ratioText has two decimals, or two digits where these would show nothing.
func ratioText(ratio float64) string {
	if ratio < 0.1 {
		return fmt.Sprintf("%.2g", ratio)
	}
	return fmt.Sprintf("%.2f", ratio)
}

// rowName is the workload's name alone for elapsed time, which a reader expects by default.
func rowName(w Workload, row Row) string {
	if row.Value == Wall {
		return w.Name
	}
	return w.Name + ": " + row.Value
}

func both(r Result, value string, u Unit) string {
	c := r.compare(value)
	if len(r.baseline) == 0 {
		return u.format(c.candidate)
	}
	return u.format(c.baseline) + " → " + u.format(c.candidate)
}
