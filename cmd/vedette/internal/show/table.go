package show

import (
	"strings"
	"unicode/utf8"
)

// Table is rows of cells, aligned in columns that are three spaces apart. The zero value is empty.
//
// Columns only ever grow: rows that are read out piece by piece, as they come, stay aligned with those before.
type Table struct {
	header []string
	rows   [][]string
	widths []int
	right  []bool
}

// NewTable begins a table. A name that begins with ">" is a column of numbers, which stand at its right side.
func NewTable(names ...string) *Table {
	t := &Table{right: make([]bool, len(names))}
	for i, name := range names {
		names[i], t.right[i] = strings.CutPrefix(name, ">")
	}
	t.header = names
	t.measure(names)
	return t
}

// Add adds a row. Cells are made printable.
func (t *Table) Add(cells ...string) {
	for i := range cells {
		cells[i] = Clean(cells[i])
	}
	t.measure(cells)
	t.rows = append(t.rows, cells)
}

// Len is how many rows there are, without the header.
func (t *Table) Len() int { return len(t.rows) }

func (t *Table) measure(cells []string) {
	for i, cell := range cells {
		if i == len(t.widths) {
			t.widths = append(t.widths, 0)
		}
		t.widths[i] = max(t.widths[i], utf8.RuneCountInString(cell))
	}
}

// Header is the line above the rows.
func (t *Table) Header() string { return t.line(t.header) }

// Lines are the rows that were added since it was last called, each a line.
func (t *Table) Lines() []string {
	lines := make([]string, len(t.rows))
	for i, row := range t.rows {
		lines[i] = t.line(row)
	}
	t.rows = nil
	return lines
}

func (t *Table) line(cells []string) string {
	var b strings.Builder
	for i, cell := range cells {
		if i > 0 {
			b.WriteString("   ")
		}
		gap := strings.Repeat(" ", max(0, t.widths[i]-utf8.RuneCountInString(cell)))
		if i < len(t.right) && t.right[i] {
			b.WriteString(gap + cell)
		} else {
			b.WriteString(cell + gap)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// String is the header and the rows.
func (t *Table) String() string {
	return strings.Join(append([]string{t.Header()}, t.Lines()...), "\n") + "\n"
}
