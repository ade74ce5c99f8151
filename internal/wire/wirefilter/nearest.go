package wirefilter

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// unknown returns the error for a field that a struct does not have, with a suggestion. rest is the remainder of the
// path.
func (p *place) unknown(typ reflect.Type, name, rest string) error {
	said := join(p.path, name)
	if near := nearest(name, slices.Sorted(maps.Keys(fieldsOf(typ)))); near != "" {
		return fmt.Errorf("%s have no field %s; did you mean %s?", p.kind, said, join(p.path, near)+rest)
	}
	if far := elsewhere(p.root, name); far != "" {
		return fmt.Errorf("%s have no field %s; did you mean %s?", p.kind, said, far+rest)
	}
	names := slices.Sorted(maps.Keys(fieldsOf(typ)))
	const enough = 12
	if len(names) > enough {
		names = append(names[:enough], "…")
	}
	where := p.path
	if where == "" {
		return fmt.Errorf("%s have no field %s; they have %s", p.kind, said, strings.Join(names, ", "))
	}
	return fmt.Errorf("%s have no field %s; in %s there are %s", p.kind, said, where, strings.Join(names, ", "))
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// nearest returns the most similar name by edit distance, or none if all are too different. Case does not count, but
// breaks ties.
func nearest(name string, among []string) string {
	best, least := "", 2*(1+len(name)/4)+2
	for _, other := range among {
		d := 2 * distance(strings.ToLower(name), strings.ToLower(other))
		if name != other {
			d++
		}
		if d < least {
			best, least = other, d
		}
	}
	return best
}

// distance counts the letters that one must change, add or leave out.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := corner
			if a[i] != b[j] {
				d = 1 + min(corner, row[j], row[j+1])
			}
			corner, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}

// elsewhere finds a field of the name, in any case, in another place that is not deep.
func elsewhere(root reflect.Type, name string) string {
	type level struct {
		typ  reflect.Type
		path string
	}
	const deepest = 3
	todo := []level{{root, ""}}
	for range deepest {
		var deeper []level
		for _, l := range todo {
			in, what, _ := inside(l.typ)
			if what != object {
				continue
			}
			fields := fieldsOf(in)
			for _, n := range slices.Sorted(maps.Keys(fields)) {
				if strings.EqualFold(n, name) {
					return join(l.path, n)
				}
				deeper = append(deeper, level{fields[n].typ, join(l.path, n)})
			}
		}
		todo = deeper
	}
	return ""
}
