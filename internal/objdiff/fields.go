package objdiff

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// bookkeeping is what changes with every change, and says nothing about it.
var bookkeeping = []string{"metadata.resourceVersion", "metadata.managedFields", "metadata.generation"}

// maxFields is how many fields of one change are told apart. Beyond it, a change is of about everything.
const maxFields = 64

// Fields are the fields in which two states of an object differ, sorted, each as far down as they differ: status.phase,
// metadata.labels[app], status.conditions[Ready].status, spec.containers[].image. What changes with every change (the version,
// the managed fields) is left out, so that an empty answer means that nothing of interest changed.
func Fields(old, new map[string]any) []string {
	d := &differ{found: make(map[string]bool)}
	d.maps("", old, new)
	return slices.Sorted(maps.Keys(d.found))
}

type differ struct {
	found map[string]bool
}

func (d *differ) note(path string) {
	if len(d.found) < maxFields {
		d.found[path] = true
	}
}

func (d *differ) values(path string, old, new any) {
	if len(d.found) >= maxFields || slices.Contains(bookkeeping, path) {
		return
	}
	switch old := old.(type) {
	case map[string]any:
		if new, ok := new.(map[string]any); ok {
			d.maps(path, old, new)
			return
		}
	case []any:
		if new, ok := new.([]any); ok {
			d.lists(path, old, new)
			return
		}
	}
	if !reflect.DeepEqual(old, new) {
		d.note(path)
	}
}

func (d *differ) maps(path string, old, new map[string]any) {
	for name, value := range old {
		other, ok := new[name]
		if !ok {
			if below := join(path, name); !slices.Contains(bookkeeping, below) {
				d.note(below)
			}
			continue
		}
		d.values(join(path, name), value, other)
	}
	for name := range new {
		if _, ok := old[name]; !ok {
			if below := join(path, name); !slices.Contains(bookkeeping, below) {
				d.note(below)
			}
		}
	}
}

// lists compares items that have a name or type with those of the same, wherever they are, and others by their place.
func (d *differ) lists(path string, old, new []any) {
	oldItems, key := keyed(old)
	newItems, newKey := keyed(new)
	switch {
	case key != "" && (key == newKey || len(new) == 0):
		d.items(path, key, oldItems, newItems)
		return
	case len(old) == 0 && newKey != "":
		d.items(path, newKey, oldItems, newItems)
		return
	case len(old) != len(new):
		d.note(path)
		return
	}
	for i := range old {
		d.values(path+"[]", old[i], new[i])
	}
}

func (d *differ) items(path, key string, old, new map[string]map[string]any) {
	below := func(name string) string {
		if key == "type" { // there are few of them, and they mean something
			return path + "[" + name + "]"
		}
		return path + "[]"
	}
	for name, item := range old {
		if other, ok := new[name]; ok {
			d.maps(below(name), item, other)
		} else {
			d.note(below(name))
		}
	}
	for name := range new {
		if _, ok := old[name]; !ok {
			d.note(below(name))
		}
	}
}

// keyed is the items of a list by what names them, and by which field that is: "" if they have no such field, or not each one.
func keyed(list []any) (map[string]map[string]any, string) {
	for _, key := range []string{"type", "name"} {
		items := make(map[string]map[string]any, len(list))
		for _, item := range list {
			fields, _ := item.(map[string]any)
			if name, ok := fields[key].(string); ok {
				items[name] = fields
			}
		}
		if len(items) == len(list) && len(list) > 0 {
			return items, key
		}
	}
	return nil, ""
}

// join is the path of a field below another. Names that are not those of fields, as in labels, are in brackets.
func join(path, name string) string {
	switch {
	case path == "":
		return name
	case plain(name) && !ownNames(path):
		return path + "." + name
	}
	return path + "[" + name + "]"
}

// ownNames reports whether what is below a path has names that people gave.
func ownNames(path string) bool {
	for _, suffix := range []string{"labels", "annotations", "matchLabels", "nodeSelector", "data", "binaryData", "stringData"} {
		if path == suffix || strings.HasSuffix(path, "."+suffix) {
			return true
		}
	}
	return false
}

func plain(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r == '_' || r == '-' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	})
}
