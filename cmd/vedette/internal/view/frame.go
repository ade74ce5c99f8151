package view

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"vedette.dev/cmd/vedette/internal/object"
	"vedette.dev/cmd/vedette/internal/show"
)

// Frame is the view as it is at a time, for a screen that has room for some rows. Rows are in the order of their names, unless
// there are too many objects: then those that changed last come first.
func (v *View) Frame(title string, room int, now time.Time) show.Frame {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := show.Frame{Title: title + ": " + v.summary(now)}
	table := v.objectTable
	if !v.by.IsZero() {
		table = v.groupTable
	}
	t := table(room, now)
	f.Header, f.Rows = t.Header(), t.Lines()
	return f
}

func (v *View) summary(now time.Time) string {
	text := show.Count(len(v.objects)) + " objects"
	if len(v.objects) == 1 {
		text = "1 object"
	}
	if !v.by.IsZero() {
		text += fmt.Sprintf(" in %s groups", show.Count(len(v.groups)))
	}
	if !v.pace.first.IsZero() {
		text += ", " + show.Rate(v.pace.rate(now)) + " changes/s"
	}
	return text
}

func (v *View) groupTable(_ int, now time.Time) *show.Table {
	t := show.NewTable(v.by.Title, ">OBJECTS", ">CHANGES", "LAST CHANGE", "STATUS")
	// The largest come first; names decide between those of one size, so that rows do not jump.
	for _, g := range slices.SortedFunc(maps.Values(v.groups), func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.objects, a.objects), cmp.Compare(a.name, b.name))
	}) {
		t.Add(g.name, show.Count(g.objects), show.Count(g.changes), since(g.changed, now), g.status())
	}
	return t
}

// status returns the number of objects of each status.
func (g *group) status() string {
	words := slices.SortedFunc(maps.Keys(g.statuses), func(a, b string) int {
		return cmp.Or(cmp.Compare(g.statuses[b], g.statuses[a]), cmp.Compare(a, b))
	})
	if len(words) == 1 && words[0] == "" {
		return ""
	}
	const most = 4
	var parts []string
	for _, word := range words[:min(len(words), most)] {
		parts = append(parts, fmt.Sprintf("%s %s", show.Count(g.statuses[word]), cmp.Or(word, object.None)))
	}
	if len(words) > most {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

func (v *View) objectTable(room int, now time.Time) *show.Table {
	entries := slices.Collect(maps.Values(v.objects))
	slices.SortFunc(entries, func(a, b *entry) int {
		byName := cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
		if len(entries) > room {
			return cmp.Or(b.changed.Compare(a.changed), byName)
		}
		return byName
	})
	names := []string{"NAME", "STATUS", "LAST CHANGE", "AGE"}
	if v.namespaces {
		names = append([]string{"NAMESPACE"}, names...)
	}
	t := show.NewTable(names...)
	for i, e := range entries {
		cells := []string{e.name, e.status, since(e.changed, now), since(e.created, now)}
		if v.namespaces {
			cells = append([]string{e.namespace}, cells...)
		}
		if i > room { // not visible, but counted
			cells = nil
		}
		t.Add(cells...)
	}
	return t
}

func since(at, now time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return show.Age(now.Sub(at))
}
