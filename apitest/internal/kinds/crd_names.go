package kinds

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// conflict is why a definition is not taken.
type conflict struct{ reason, message string }

// taken are the names that others have in a group. Those of resources and those of kinds do not get into each other's way.
type taken struct{ resources, kinds map[string]bool }

func (t *table) taken(d *definition) taken {
	names := taken{map[string]bool{}, map[string]bool{}}
	for _, k := range t.kinds {
		if k.Group != d.spec.Group || t.crds[d.name].has(k) {
			continue
		}
		for _, name := range append([]string{k.Plural, k.Singular}, k.ShortNames...) {
			names.resources[name] = true
		}
		names.kinds[k.Kind] = true
		if k.custom != nil {
			names.kinds[k.custom.listKind] = true
		}
	}
	return names
}

// conflict is the last that the real server finds, as it is the one that it tells. Nil means that all names are free.
func (t *table) conflict(d *definition) (last *conflict) {
	for _, c := range t.conflicts(d) {
		last = &conflict{c.reason, c.message}
	}
	return last
}

// nameConflict is a conflict about one of the fields of spec.names.
type nameConflict struct {
	field string
	conflict
}

func (t *table) conflicts(d *definition) (found []nameConflict) {
	used := t.taken(d)
	check := func(field, reason string, used map[string]bool, names ...string) {
		var messages []string
		for _, name := range names {
			if used[name] && name != "" {
				messages = append(messages, fmt.Sprintf("%q is already in use", name))
			}
		}
		if len(messages) == 0 {
			return
		}
		message := strings.Join(messages, ", ")
		if len(messages) > 1 {
			message = "[" + message + "]"
		}
		found = append(found, nameConflict{field, conflict{reason, message}})
	}
	names := d.spec.Names
	check("plural", "PluralConflict", used.resources, names.Plural)
	check("singular", "SingularConflict", used.resources, names.Singular)
	check("shortNames", "ShortNamesConflict", used.resources, names.ShortNames...)
	check("kind", "KindConflict", used.kinds, names.Kind)
	check("listKind", "ListKindConflict", used.kinds, names.ListKind)
	return found
}

// acceptedNames are those that are free, and for others what was accepted before.
func acceptedNames(wanted, before map[string]any, conflicts []nameConflict) map[string]any {
	accepted := runtime.DeepCopyJSON(wanted)
	for _, c := range conflicts {
		delete(accepted, c.field)
		if old, ok := before[c.field]; ok {
			accepted[c.field] = old
		} else if slices.Contains([]string{"plural", "kind"}, c.field) {
			accepted[c.field] = "" // these two are always there
		}
	}
	return accepted
}
