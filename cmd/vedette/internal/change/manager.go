package change

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Unknown is the manager of a change whose manager cannot be determined.
const Unknown = "(unknown)"

// Manager returns the field manager of a change, according to the managed fields: the one whose entry has changed.
// Entries have times of whole seconds, so a second change by one manager within a second leaves no trace in them; then
// it is the last writer among the managers that own one of the changed fields. If there is none, it is Unknown.
func Manager(old, new []metav1.ManagedFieldsEntry, changed []string) string {
	before := make(map[identity]*metav1.ManagedFieldsEntry, len(old))
	for i := range old {
		before[identityOf(&old[i])] = &old[i]
	}
	var last *metav1.ManagedFieldsEntry
	for i := range new {
		entry := &new[i]
		if was := before[identityOf(entry)]; (was == nil || !same(was, entry)) && newer(entry, last) {
			last = entry
		}
	}
	if last == nil {
		for i := range new {
			if entry := &new[i]; newer(entry, last) && owns(entry, changed) {
				last = entry
			}
		}
	}
	if last == nil || last.Manager == "" {
		return Unknown
	}
	return last.Manager
}

// owns reports whether a manager owns one of the fields, by name: items of lists are not compared.
func owns(entry *metav1.ManagedFieldsEntry, fields []string) bool {
	if entry.FieldsV1 == nil || len(fields) == 0 {
		return false
	}
	var owned map[string]any
	if json.Unmarshal(entry.FieldsV1.GetRawBytes(), &owned) != nil {
		return false
	}
	return slices.ContainsFunc(fields, func(field string) bool { return within(owned, field) })
}

func within(owned map[string]any, field string) bool {
	for field != "" {
		name, rest := field, ""
		if i := strings.IndexAny(field, ".["); i >= 0 {
			name, rest = field[:i], field[i:]
		}
		below, ok := owned["f:"+name].(map[string]any)
		if !ok {
			return false
		}
		owned = below
		switch {
		case strings.HasPrefix(rest, "["): // the name of a label and its like; items of lists have other keys
			key := strings.TrimSuffix(rest[1:], "]")
			_, ok := owned["f:"+key]
			return ok || rest == "[]" || strings.Contains(rest, "].")
		case rest == "":
			return true
		}
		field = rest[1:]
	}
	return true
}

// identity identifies an entry.
type identity struct {
	manager, operation, version, subresource string
}

func identityOf(e *metav1.ManagedFieldsEntry) identity {
	return identity{e.Manager, string(e.Operation), e.APIVersion, e.Subresource}
}

func same(a, b *metav1.ManagedFieldsEntry) bool {
	return a.Time.Equal(b.Time) && reflect.DeepEqual(a.FieldsV1, b.FieldsV1)
}

// newer reports whether an entry was written after another, or at the same time and is further down: the server sorts them by time.
func newer(entry, than *metav1.ManagedFieldsEntry) bool {
	return than == nil || entry.Time != nil && (than.Time == nil || !entry.Time.Before(than.Time))
}
