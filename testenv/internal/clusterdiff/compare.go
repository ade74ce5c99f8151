package clusterdiff

import (
	"fmt"
	"maps"
	"slices"
)

// Result is a comparison of two clusters.
type Result struct {
	// Compared is how many objects of a kind were compared, of both clusters together those with different names.
	Compared map[string]int
	// Differences are sorted by object.
	Differences []Difference
}

// Difference is an object that is not the same in both clusters.
type Difference struct {
	Kind, Object string
	// Lines say what differs.
	Lines []string
}

// Compare compares the objects of two clusters, which have these names in the result. What the objects are to differ in is in the
// documentation of the package.
func Compare(a, b []Object, nameA, nameB string) Result {
	left, right := Normalise(a), Normalise(b)
	keys := maps.Clone(left)
	maps.Copy(keys, right)
	result := Result{Compared: map[string]int{}}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		kind := keys[key].groupKind()
		result.Compared[kind]++
		d := Difference{Kind: kind, Object: key}
		switch l, r := left[key], right[key]; {
		case l == nil:
			d.Lines = []string{"only in " + nameB}
		case r == nil:
			d.Lines = []string{"only in " + nameA}
		default:
			d.Lines = differences("", map[string]any(l), map[string]any(r))
		}
		if d.Lines != nil {
			result.Differences = append(result.Differences, d)
		}
	}
	return result
}

// Normalise returns the objects of a cluster as they are compared, by names that are the same in both.
func Normalise(objects []Object) map[string]Object {
	names := findNames(objects)
	out := map[string]Object{}
	for _, o := range objects {
		out[names.keyOf(o)] = names.normalise(o)
	}
	return out
}

// differences returns a line for each value that differs.
func differences(path string, a, b any) (lines []string) {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			keys := maps.Clone(a)
			maps.Copy(keys, b)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				lines = append(lines, differences(path+"."+key, a[key], b[key])...)
			}
			return lines
		}
	case []any:
		if b, ok := b.([]any); ok && len(a) == len(b) {
			for i := range a {
				lines = append(lines, differences(fmt.Sprintf("%s[%d]", path, i), a[i], b[i])...)
			}
			return lines
		}
	}
	if l, r := content(a), content(b); l != r {
		return []string{fmt.Sprintf("%s: %s, %s", path, l, r)}
	}
	return nil
}
