package change

import (
	"cmp"
	"slices"
	"time"
)

// Report is the result of a Meter. Rows are sorted by the number that they are about, the greatest first.
type Report struct {
	Seconds float64 `json:"seconds"`
	Total   Counts  `json:"total"`
	// Received is how many bytes came from the server in that time, as far as the client knows.
	Received int64 `json:"receivedBytes"`

	Kinds      []KindRow      `json:"kinds"`
	Namespaces []NamespaceRow `json:"namespaces"`
	Managers   []ManagerRow   `json:"managers"`
	Fields     []FieldRow     `json:"fields"`
	Objects    []ObjectRow    `json:"objects"`
	Biggest    []SizeRow      `json:"biggest"`

	// Coalesced is the number of changes that were coalesced. Incomplete means that there were too many objects or fields.
	Coalesced  uint64 `json:"coalesced,omitempty"`
	Incomplete bool   `json:"incomplete,omitempty"`
	// Skipped are the resources that were not watched, and why.
	Skipped map[string]string `json:"skipped,omitempty"`
}

// Counts are changes.
type Counts struct {
	Changes        int     `json:"changes"`
	ChangesASecond float64 `json:"changesPerSecond"`
	Added          int     `json:"added"`
	Updated        int     `json:"updated"`
	Deleted        int     `json:"deleted"`
	// Bytes is the size of the objects that changed, as JSON, once for each change: what one watcher is sent.
	Bytes        int64   `json:"bytes"`
	BytesASecond float64 `json:"bytesPerSecond"`
}

// KindRow is about a resource.
type KindRow struct {
	Kind    string `json:"kind"`
	Objects int    `json:"objects"` // number of objects at the end
	Counts
}

// NamespaceRow is about a namespace; the empty one is for cluster-scoped objects.
type NamespaceRow struct {
	Namespace string `json:"namespace"`
	Counts
}

// ManagerRow has the changes of one field manager.
type ManagerRow struct {
	Manager string   `json:"manager"`
	Kinds   []string `json:"kinds"`
	Counts
}

// FieldRow is about a field, over all objects of a resource.
type FieldRow struct {
	Kind    string `json:"kind"`
	Field   string `json:"field"`
	Changes int    `json:"changes"`
}

// ObjectRow is about an object.
type ObjectRow struct {
	Key
	Manager string `json:"manager,omitempty"` // the last one
	Size    int    `json:"sizeBytes"`
	Gone    bool   `json:"gone,omitempty"`
	Counts
}

// SizeRow is about a large object.
type SizeRow struct {
	Key
	Size int `json:"sizeBytes"`
}

// Report returns the counts so far, with at most top rows in each table.
func (m *Meter) Report(elapsed time.Duration, top int) *Report {
	m.mu.Lock()
	defer m.mu.Unlock()
	counts := func(t *tally) Counts { return t.counts(elapsed) }
	r := &Report{Seconds: elapsed.Seconds(), Total: counts(&m.total), Incomplete: m.overflow}
	living := make(map[string]int)
	for key, row := range m.objects {
		if !row.gone {
			living[key.Kind]++
			r.Biggest = append(r.Biggest, SizeRow{key, row.size})
		}
		if row.changes() > 0 {
			r.Objects = append(r.Objects, ObjectRow{key, row.manager, row.size, row.gone, counts(&row.tally)})
		}
	}
	for kind := range living {
		entry(m.kinds, kind) // also without changes
	}
	for kind, row := range m.kinds {
		r.Kinds = append(r.Kinds, KindRow{kind, living[kind], counts(row)})
	}
	for namespace, row := range m.namespaces {
		r.Namespaces = append(r.Namespaces, NamespaceRow{namespace, counts(row)})
	}
	for manager, row := range m.managers {
		r.Managers = append(r.Managers, ManagerRow{manager, row.kindsOf(), counts(&row.tally)})
	}
	for key, n := range m.fields {
		r.Fields = append(r.Fields, FieldRow{key.kind, key.field, n})
	}
	r.sort(top)
	return r
}

func (t *tally) counts(elapsed time.Duration) Counts {
	c := Counts{Changes: t.changes(), Added: t.added, Updated: t.updated, Deleted: t.deleted, Bytes: t.bytes}
	if s := elapsed.Seconds(); s > 0 {
		c.ChangesASecond, c.BytesASecond = float64(c.Changes)/s, float64(c.Bytes)/s
	}
	return c
}

func (r *Report) sort(top int) {
	r.Kinds = first(r.Kinds, top, func(a, b KindRow) int {
		return cmp.Or(byCount(a.Changes, b.Changes, "", ""), byCount(a.Objects, b.Objects, a.Kind, b.Kind))
	})
	r.Namespaces = first(r.Namespaces, top, func(a, b NamespaceRow) int { return byCount(a.Changes, b.Changes, a.Namespace, b.Namespace) })
	r.Managers = first(r.Managers, top, func(a, b ManagerRow) int { return byCount(a.Changes, b.Changes, a.Manager, b.Manager) })
	r.Fields = first(r.Fields, top, func(a, b FieldRow) int {
		return cmp.Or(byCount(a.Changes, b.Changes, a.Kind, b.Kind), cmp.Compare(a.Field, b.Field))
	})
	r.Objects = first(r.Objects, top, func(a, b ObjectRow) int { return cmp.Or(byCount(a.Changes, b.Changes, "", ""), a.compare(b.Key)) })
	r.Biggest = first(r.Biggest, top, func(a, b SizeRow) int { return cmp.Or(byCount(a.Size, b.Size, "", ""), a.compare(b.Key)) })
}

func first[T any](rows []T, top int, compare func(a, b T) int) []T {
	slices.SortFunc(rows, compare)
	return append([]T{}, rows[:min(len(rows), top)]...) // not nil, which is null in JSON
}

// byCount compares by number, the greatest first, and then by name.
func byCount(a, b int, aName, bName string) int {
	return cmp.Or(cmp.Compare(b, a), cmp.Compare(aName, bName))
}

func (k Key) compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Kind, other.Kind), cmp.Compare(k.Namespace, other.Namespace), cmp.Compare(k.Name, other.Name))
}

// String returns the key as namespace/name.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}
