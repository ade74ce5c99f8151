package hashspace

import (
	"cmp"
	"fmt"
	"slices"
)

// Cover checks that the sets hold each hash exactly once. The error names the first range that two sets hold, with both
// owners, or the first range that no set holds.
func Cover(sets map[string]Set) error { return check(sets, true) }

// Disjoint checks that no two sets hold the same hash. The error names the first range that two sets hold.
func Disjoint(sets map[string]Set) error { return check(sets, false) }

// held is a range and its owner.
type held struct {
	Range
	by string
}

// holdings lists all ranges of the sets, sorted by start.
func holdings(sets map[string]Set) ([]held, error) {
	var all []held
	for id, s := range sets {
		for _, r := range s {
			all = append(all, held{r, id})
		}
	}
	slices.SortFunc(all, func(a, b held) int { return cmp.Or(byStart(a.Range, b.Range), cmp.Compare(a.by, b.by)) })
	for _, h := range all {
		if !h.valid() {
			return nil, fmt.Errorf("the range %v of %q is empty: its start must be before its end", h.Range, h.by)
		}
	}
	return all, nil
}

func check(sets map[string]Set, complete bool) error {
	all, err := holdings(sets)
	if err != nil {
		return err
	}
	for i := 1; i < len(all); i++ {
		if a, b := all[i-1], all[i]; b.Start <= a.last() {
			return overlap(a, b)
		}
	}
	if !complete {
		return nil
	}
	next := uint64(0) // all hashes before it are held
	for _, h := range all {
		if h.Start > next {
			return fmt.Errorf("no owner holds %v", Range{next, h.Start})
		}
		next = h.End
	}
	if len(all) == 0 || next != 0 {
		return fmt.Errorf("no owner holds %v", Range{Start: next})
	}
	return nil
}

func overlap(a, b held) error {
	both := closed(b.Start, min(a.last(), b.last()))
	if a.by == b.by {
		return fmt.Errorf("the ranges %v and %v of %q overlap", a.Range, b.Range, a.by)
	}
	return fmt.Errorf("%q and %q both hold %v", a.by, b.by, both)
}
