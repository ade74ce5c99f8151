package hashspace

import (
	"errors"
	"fmt"
	"strings"
)

// MaxRanges is the greatest number of ranges in a selector. Sixteen of them take 1.6 KB of a URL, which proxies accept.
const MaxRanges = 16

// The two fields whose hash a server can select by.
const (
	uidPath       = "object.metadata.uid"
	namespacePath = "object.metadata.namespace"
)

// Selector returns a set as the shardSelector parameter of a list or watch (KEP-5866), in its canonical form:
//
//	shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000') || shardRange(…)
//
// The path is object.metadata.uid or object.metadata.namespace. For Everything it returns the empty text. No text
// selects nothing: an empty set is an error, as are more than MaxRanges ranges.
func Selector(path string, s Set) (string, error) {
	switch {
	case path != uidPath && path != namespacePath:
		return "", unknownPath(path)
	case s.Empty():
		return "", errors.New("an empty set has no selector: list and watch nothing instead")
	case len(s) > MaxRanges:
		return "", fmt.Errorf("a selector of %d ranges is too long for a URL; at most %d are allowed", len(s), MaxRanges)
	case s.IsEverything():
		return "", nil
	}
	var text strings.Builder
	for i, r := range s {
		if !r.valid() {
			return "", invalid(r)
		}
		if i > 0 {
			text.WriteString(" || ")
		}
		text.WriteString(rangeCall + "(" + path + ",'" + bound(r.Start) + "','" + r.end() + "')")
	}
	return text.String(), nil
}

const rangeCall = "shardRange"

func unknownPath(path string) error {
	return fmt.Errorf("the server cannot select by %q; use %s or %s", path, uidPath, namespacePath)
}
