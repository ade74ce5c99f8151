package objdiff

import (
	"slices"
	"strings"
)

// Brief is at most so many fields that have all of the given ones below them: the deepest are replaced by what they are a part of,
// as often as it takes. Fields at the top stay, even if there are more of them.
func Brief(fields []string, most int) []string {
	for len(fields) > most {
		deepest := slices.MaxFunc(fields, func(a, b string) int { return depth(a) - depth(b) })
		if depth(deepest) == 0 {
			break
		}
		var shorter []string
		for _, f := range fields {
			if depth(f) == depth(deepest) {
				f = parent(f)
			}
			shorter = append(shorter, f)
		}
		slices.Sort(shorter)
		fields = slices.Compact(shorter)
	}
	return fields
}

// depth is how often a path can be cut.
func depth(path string) (n int) {
	for ; parent(path) != path; n++ {
		path = parent(path)
	}
	return n
}

// parent is the path without its last part: a name after a dot, or brackets. What is in brackets is not looked at.
func parent(path string) string {
	if strings.HasSuffix(path, "]") {
		return path[:strings.LastIndexByte(path, '[')]
	}
	if i := strings.LastIndexAny(path, ".]"); i > 0 && path[i] == '.' {
		return path[:i]
	}
	return path
}
