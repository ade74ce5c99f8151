package objdiff

import (
	"fmt"
	"reflect"
	"strings"
)

// maxValues is how many changes are named.
const maxValues = 20

// Values returns the fields in which two objects of one Go type differ, each with what it was and what it is. Names are those of Go.
func Values(before, after any) []string {
	d := valueDiffer{}
	d.compare("", reflect.ValueOf(before), reflect.ValueOf(after))
	if len(d.fields) > maxValues {
		return append(d.fields[:maxValues:maxValues], fmt.Sprintf("and %d more", len(d.fields)-maxValues))
	}
	return d.fields
}

type valueDiffer struct{ fields []string }

func (d *valueDiffer) note(path string, before, after reflect.Value) {
	path = strings.TrimPrefix(path, ".")
	switch {
	case !before.IsValid():
		d.fields = append(d.fields, fmt.Sprintf("%s: %s was added", path, printed(after)))
	case !after.IsValid():
		d.fields = append(d.fields, fmt.Sprintf("%s: %s was removed", path, printed(before)))
	default:
		d.fields = append(d.fields, fmt.Sprintf("%s: %s became %s", path, printed(before), printed(after)))
	}
}

// printed writes a value, but not more of it than a line takes.
func printed(v reflect.Value) string {
	const most = 100
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	text := fmt.Sprintf("%+v", v)
	if v.Kind() == reflect.String {
		text = fmt.Sprintf("%q", v)
	}
	if len(text) > most {
		text = text[:most] + "…"
	}
	return text
}

func (d *valueDiffer) compare(path string, before, after reflect.Value) {
	if !before.IsValid() || !after.IsValid() || before.Type() != after.Type() {
		if before.IsValid() || after.IsValid() {
			d.note(path, before, after)
		}
		return
	}
	switch before.Kind() {
	case reflect.Pointer, reflect.Interface:
		if before.IsNil() != after.IsNil() {
			d.note(path, before, after)
		} else if !before.IsNil() {
			d.compare(path, before.Elem(), after.Elem())
		}
	case reflect.Struct:
		d.compareStructs(path, before, after)
	case reflect.Slice, reflect.Array:
		d.compareLists(path, before, after)
	case reflect.Map:
		d.compareMaps(path, before, after)
	default:
		d.compareLeaves(path, before, after)
	}
}

// compareStructs goes into fields, unless some are private: such a struct (a time, a quantity) is one value.
func (d *valueDiffer) compareStructs(path string, before, after reflect.Value) {
	t := before.Type()
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			d.compareLeaves(path, before, after)
			return
		}
	}
	for i := range t.NumField() {
		to := path
		if f := t.Field(i); !f.Anonymous {
			to += "." + f.Name
		}
		d.compare(to, before.Field(i), after.Field(i))
	}
}

func (d *valueDiffer) compareLists(path string, before, after reflect.Value) {
	if before.Kind() == reflect.Slice && before.IsNil() != after.IsNil() && before.Len() == after.Len() {
		d.note(path, before, after)
		return
	}
	for i := range max(before.Len(), after.Len()) {
		d.compare(fmt.Sprintf("%s[%d]", path, i), at(before, i), at(after, i))
	}
}

func at(list reflect.Value, i int) reflect.Value {
	if i >= list.Len() {
		return reflect.Value{}
	}
	return list.Index(i)
}

func (d *valueDiffer) compareMaps(path string, before, after reflect.Value) {
	if before.IsNil() != after.IsNil() && before.Len() == after.Len() {
		d.note(path, before, after)
		return
	}
	for _, key := range before.MapKeys() {
		d.compare(fmt.Sprintf("%s[%s]", path, printed(key)), before.MapIndex(key), after.MapIndex(key))
	}
	for _, key := range after.MapKeys() {
		if !before.MapIndex(key).IsValid() {
			d.note(fmt.Sprintf("%s[%s]", path, printed(key)), reflect.Value{}, after.MapIndex(key))
		}
	}
}

func (d *valueDiffer) compareLeaves(path string, before, after reflect.Value) {
	if !reflect.DeepEqual(before.Interface(), after.Interface()) {
		d.note(path, before, after)
	}
}
