package command

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"vedette.dev/cmd/vedette/internal/change"
	"vedette.dev/cmd/vedette/internal/show"
)

func (c *churn) print(r *change.Report) error {
	if c.output == "json" {
		return c.printJSON(r)
	}
	var text strings.Builder
	c.writeReport(&text, r)
	_, err := io.WriteString(c.out, text.String())
	return err
}

func (c *churn) writeReport(text *strings.Builder, r *change.Report) {
	fmt.Fprintf(text, "%s changes in %.1f s: %s/s, %s/s for each watcher of all kinds\n", show.Count(r.Total.Changes), r.Seconds,
		show.Rate(r.Total.ChangesASecond), show.Bytes(r.Total.BytesASecond))
	if r.Coalesced > 0 {
		fmt.Fprintf(text, "%s changes came faster than they could be processed, and count with the next change of the same object.\n", show.Count(r.Coalesced))
	}
	if r.Incomplete {
		fmt.Fprintf(text, "There were too many objects or fields: sums are exact, rows may be missing.\n")
	}
	section := func(title string, table *show.Table) {
		if table.Len() == 0 {
			return
		}
		fmt.Fprintf(text, "\n%s\n%s", c.style.Bold(title), table)
	}
	section("Kinds", kindTable(r.Kinds))
	section("Namespaces", namespaceTable(r.Namespaces))
	section("Field managers", managerTable(r.Managers, r.Total.Changes))
	section("Fields that change", fieldTable(r.Fields))
	section("Objects that change most", objectTable(r.Objects))
	section("Biggest objects", sizeTable(r.Biggest))
	if len(r.Skipped) > 0 {
		fmt.Fprintf(text, "\nSkipped, because they cannot be listed: %s\n", strings.Join(slices.Sorted(maps.Keys(r.Skipped)), ", "))
	}
}

// counted are the columns of the counts.
var counted = []string{">CHANGES", ">/S", ">ADDED", ">UPDATED", ">DELETED", ">BYTES/S"}

func cells(c change.Counts) []string {
	return []string{show.Count(c.Changes), show.Rate(c.ChangesASecond), show.Count(c.Added), show.Count(c.Updated), show.Count(c.Deleted),
		show.Bytes(c.BytesASecond)}
}

func kindTable(rows []change.KindRow) *show.Table {
	t := show.NewTable(append([]string{"KIND", ">OBJECTS"}, counted...)...)
	for _, r := range rows {
		t.Add(append([]string{r.Kind, show.Count(r.Objects)}, cells(r.Counts)...)...)
	}
	return t
}

func namespaceTable(rows []change.NamespaceRow) *show.Table {
	t := show.NewTable(append([]string{"NAMESPACE"}, counted...)...)
	for _, r := range rows {
		t.Add(append([]string{cmp.Or(r.Namespace, "(none)")}, cells(r.Counts)...)...)
	}
	return t
}

func managerTable(rows []change.ManagerRow, total int) *show.Table {
	t := show.NewTable("MANAGER", ">CHANGES", ">SHARE", ">/S", ">BYTES/S", "KINDS")
	for _, r := range rows {
		share := fmt.Sprintf("%.0f %%", 100*float64(r.Changes)/float64(max(1, total)))
		kinds := r.Kinds
		if len(kinds) > 3 {
			kinds = append(slices.Clone(kinds[:3]), "…")
		}
		t.Add(r.Manager, show.Count(r.Changes), share, show.Rate(r.ChangesASecond), show.Bytes(r.BytesASecond), strings.Join(kinds, ", "))
	}
	return t
}

func fieldTable(rows []change.FieldRow) *show.Table {
	t := show.NewTable("KIND", "FIELD", ">CHANGES")
	for _, r := range rows {
		t.Add(r.Kind, r.Field, show.Count(r.Changes))
	}
	return t
}

func objectTable(rows []change.ObjectRow) *show.Table {
	t := show.NewTable("KIND", "OBJECT", ">CHANGES", ">/S", ">SIZE", ">BYTES/S", "LAST CHANGED BY")
	for _, r := range rows {
		manager := r.Manager
		if r.Gone {
			manager = strings.TrimSpace(manager + " (deleted)")
		}
		t.Add(r.Kind, r.Key.String(), show.Count(r.Changes), show.Rate(r.ChangesASecond), show.Bytes(r.Size), show.Bytes(r.BytesASecond), manager)
	}
	return t
}

func sizeTable(rows []change.SizeRow) *show.Table {
	t := show.NewTable("KIND", "OBJECT", ">SIZE")
	for _, r := range rows {
		t.Add(r.Kind, r.Key.String(), show.Bytes(r.Size))
	}
	return t
}
