package show

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Bytes(0), "0 B"}, {Bytes(999), "999 B"}, {Bytes(1000), "1.0 kB"}, {Bytes(999_499), "999 kB"}, {Bytes(999_500), "1.0 MB"},
		{Bytes(12_345.0), "12.3 kB"}, {Bytes(int64(5e12)), "5.0 TB"}, {Bytes(int64(5e15)), "5000 TB"},
		{Count(0), "0"}, {Count(999), "999"}, {Count(1000), "1,000"}, {Count(-1234567), "-1,234,567"}, {Count(uint64(100)), "100"},
		{Rate(0), "0.0"}, {Rate(0.01), "0.01"}, {Rate(1.26), "1.3"}, {Rate(99.9), "99.9"}, {Rate(12345.6), "12,346"},
		{Age(-time.Second), "0s"}, {Age(119 * time.Second), "119s"}, {Age(2 * time.Minute), "2m"}, {Age(150 * time.Second), "2m30s"},
		{Age(60 * time.Minute), "60m"}, {Age(4*time.Hour + 5*time.Minute), "4h5m"}, {Age(30 * time.Hour), "30h"},
		{Age(75 * time.Hour), "3d3h"}, {Age(100 * 24 * time.Hour), "100d"}, {Age(800 * 24 * time.Hour), "2y70d"},
		{Cut("abc", 3), "abc"}, {Cut("abcd", 3), "ab…"}, {Cut("äöüß", 3), "äö…"}, {Cut("abc", 0), ""},
		{Clean("a\x1b[31mb\tc\u202e\xffd"), "a?[31mb?c??d"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

func TestTable(t *testing.T) {
	table := NewTable("NAME", ">SIZE", "NOTE")
	table.Add("a", "1,000", "first")
	table.Add("long-name", "5", "")
	want := "NAME         SIZE   NOTE\na           1,000   first\nlong-name       5\n"
	if got := table.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	// Rows that come later are aligned with those that were read.
	table.Add("x", "1", "later")
	if got, want := table.Lines(), "x               1   later"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRowsAreAligned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := NewTable("A", ">B", "C")
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.StringN(1, 8, -1), 3, 3), 1, 8).Draw(t, "rows")
		width := 1
		for _, row := range rows {
			row[2] = "|" // what begins at the same place in each line
			table.Add(row...)
			width = max(width, utf8.RuneCountInString(row[0]))
		}
		for _, line := range table.Lines() {
			if strings.ContainsAny(line, "\n\r\x1b") {
				t.Fatalf("a line with control characters: %q", line)
			}
			if got := utf8.RuneCountInString(line); got != utf8.RuneCountInString(strings.TrimRight(table.Header(), "C"))+1 {
				t.Fatalf("%q is not aligned with %q", line, table.Header())
			}
		}
	})
}

func TestBar(t *testing.T) {
	var out strings.Builder
	bar := &Bar{Out: &out}
	bar.Clear()
	if out.Len() > 0 {
		t.Errorf("a bar that was never shown writes %q", out.String())
	}
	bar.Set(0.5, "half")
	bar.Set(7, "more\nthan all")
	bar.Say("so far\n")
	bar.Clear()
	want := "\r[============            ] half\x1b[K\r[========================] more?than all\x1b[K\rso far?\x1b[K\r\x1b[K"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	(&Bar{}).Set(1, "not shown")
}
