package harness

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// WriteText prints the results as aligned tables.
func WriteText(out io.Writer, results []Result) {
	for i, t := range tables(results) {
		if i > 0 {
			fmt.Fprintln(out)
		}
		t.text(out)
	}
}

func (t table) text(out io.Writer) {
	widths := t.widths()
	for _, line := range append([][]string{t.header}, t.rows...) {
		var b strings.Builder
		for i, cell := range line {
			b.WriteString(pad(cell, widths[i], i > 0))
			b.WriteString("  ")
		}
		fmt.Fprintln(out, strings.TrimRight(b.String(), " "))
	}
}

func (t table) widths() []int {
	widths := make([]int, len(t.header))
	for _, line := range append([][]string{t.header}, t.rows...) {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// pad fills a cell with spaces; figures stand to the right. It counts runes, since µ, – and
// → take several bytes.
func pad(cell string, width int, right bool) string {
	space := strings.Repeat(" ", width-utf8.RuneCountInString(cell))
	if right {
		return space + cell
	}
	return cell + space
}

func (t table) markdown(out io.Writer) {
	line := func(cells []string) { fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | ")) }
	rule := make([]string, len(t.header))
	for i := range rule {
		rule[i] = "---:"
	}
	rule[0] = "---"

	line(t.header)
	line(rule)
	for _, r := range t.rows {
		line(r)
	}
	fmt.Fprintln(out)
}
