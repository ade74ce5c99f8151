package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"vedette.dev/apitest"
)

// run runs the demonstration in a bubble, where time costs nothing and a goroutine left behind is an error.
func run(t *testing.T, config apitest.Config) string {
	t.Helper()
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		config.InMemory = true
		if err := demo(t.Context(), config, 100, &out); err != nil {
			t.Fatal(err)
		}
	})
	t.Log(out.String())
	return out.String()
}

// tables are the parts of the output, by the first words of their titles.
func tables(t *testing.T, out string, titles ...string) []string {
	t.Helper()
	parts := strings.Split(strings.TrimSpace(out), "\n\n")
	if len(parts) != len(titles) {
		t.Fatalf("%d tables, want %d:\n%s", len(parts), len(titles), out)
	}
	for i, title := range titles {
		if !strings.HasPrefix(parts[i], title) {
			t.Errorf("table %d has the title %q", i, parts[i])
		}
	}
	return parts
}

// column adds up what is in a column of a table, and counts the rows in which it is not 0.
func column(t *testing.T, table, title string) (sum, rows int) {
	t.Helper()
	lines := strings.Split(table, "\n")
	header := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(lines[1]), -1)
	for _, line := range lines[2:] {
		fields := strings.Fields(line)
		for i, name := range header {
			if name != title {
				continue
			}
			v, err := strconv.Atoi(fields[i])
			if err != nil {
				t.Fatal(err)
			}
			if sum += v; v != 0 {
				rows++
			}
		}
	}
	return sum, rows
}

func imbalance(t *testing.T, table string) float64 {
	t.Helper()
	found := regexp.MustCompile(`: \d shards, streams \d, imbalance (\S+)\n`).FindStringSubmatch(table)
	if found == nil {
		t.Fatalf("no imbalance: %s", table)
	}
	v, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestShardsInUse(t *testing.T) {
	for _, selects := range []bool{false, true} {
		t.Run(fmt.Sprintf("selects=%v", selects), func(t *testing.T) {
			parts := tables(t, run(t, apitest.Config{ShardSelectors: selects}),
				"At the start: 8 shards", "In a storm of tenant-09: 8 shards", "After the split of", "After 200 pods more")
			pods := 0
			for tenant := range tenants {
				pods += podsOf(tenant)
			}
			for i, part := range parts {
				want := pods
				if i == 3 {
					want += 200
				}
				if n, _ := column(t, part, "pods"); n != want {
					t.Errorf("%d pods, want %d:\n%s", n, want, part)
				}
				if rows := strings.Count(part, "\n") - 1; strings.Count(part, "  well\n")+strings.Count(part[len(part)-4:], "well") != rows {
					t.Errorf("a shard is not well:\n%s", part)
				}
				if v := imbalance(t, part); v > 1.25 {
					t.Errorf("an imbalance of %v:\n%s", v, part)
				}
				streams := 1
				if selects {
					streams = []int{8, 8, 9, 9}[i]
				}
				if !strings.Contains(part, fmt.Sprintf(" streams %d,", streams)) {
					t.Errorf("want %d streams:\n%s", streams, part)
				}
			}
			if n, rows := column(t, parts[1], "coalesced"); n < 300 || rows != 1 {
				t.Errorf("a storm in one namespace coalesced %d changes in %d shards:\n%s", n, rows, parts[1])
			}
			if n, _ := column(t, parts[0], "reconciled"); n != pods {
				t.Errorf("%d pods were reconciled of %d:\n%s", n, pods, parts[0])
			}
		})
	}
}
