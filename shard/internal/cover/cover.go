package cover

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Kind is a kind of dimension.
type Kind string

// Kinds of dimensions.
const (
	Cluster   Kind = "cluster"
	Namespace Kind = "namespace"
	Label     Kind = "label"
	Field     Kind = "field"
	Tenant    Kind = "tenant"
	Hash      Kind = "hash"
)

// Dimension is something of which each object has one value. Name tells labels, fields and hashes by different keys apart.
type Dimension struct {
	Kind Kind
	Name string
}

// Absent is the value that an object has in the dimension of a label that it does not have. No label has this value.
const Absent = "\x00"

// Cover is a set of objects. The zero value has none.
type Cover struct {
	// boxes are not empty. They may overlap.
	boxes []box
}

// box is the objects whose values are in the sets of all its dimensions. A dimension that is not there is not restricted. No set in it
// is empty or has all values.
type box map[Dimension]Set

// All returns the cover of all objects.
func All() Cover { return Cover{[]box{{}}} }

// Of returns the cover of the objects whose value in a dimension is in a set.
func Of(d Dimension, s Set) Cover { return All().Restrict(d, s) }

// Restrict returns the objects of a cover whose value in a dimension is in a set.
func (c Cover) Restrict(d Dimension, s Set) Cover {
	var out Cover
	for _, b := range c.boxes {
		if r, ok := b.restrict(d, s); ok {
			out.boxes = append(out.boxes, r)
		}
	}
	return out.simple()
}

// restrict returns the part of a box whose values are in a set, and whether it has any.
func (b box) restrict(d Dimension, s Set) (box, bool) {
	if had, ok := b[d]; ok {
		s = had.intersect(s)
	}
	if s.IsEmpty() {
		return nil, false
	}
	out := maps.Clone(b)
	if s.isAll() {
		delete(out, d)
	} else {
		out[d] = s
	}
	return out, true
}

// dimensions returns the dimensions of a box in a fixed order.
func (b box) dimensions() []Dimension {
	return slices.SortedFunc(maps.Keys(b), func(x, y Dimension) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Name, y.Name))
	})
}

func (b box) intersect(o box) (box, bool) {
	ok := true
	for d, s := range o {
		if b, ok = b.restrict(d, s); !ok {
			return nil, false
		}
	}
	return b, true
}

// subtract returns what is in a box and not in another, as boxes that do not overlap.
func (b box) subtract(o box) (out []box) {
	if _, ok := b.intersect(o); !ok {
		return []box{b}
	}
	for _, d := range o.dimensions() {
		if outside, ok := b.restrict(d, o[d].complement()); ok {
			out = append(out, outside)
		}
		b, _ = b.restrict(d, o[d]) // not empty, as the boxes overlap
	}
	return out
}

// IsEmpty reports whether no object can be in the cover.
func (c Cover) IsEmpty() bool { return len(c.boxes) == 0 }

// Union returns the objects that are in at least one of several covers.
func Union(covers ...Cover) Cover {
	var out Cover
	for _, c := range covers {
		out.boxes = append(out.boxes, c.boxes...)
	}
	return out.simple()
}

// Intersect returns the objects that are in both covers.
func (c Cover) Intersect(o Cover) Cover {
	var out Cover
	for _, a := range c.boxes {
		for _, b := range o.boxes {
			if both, ok := a.intersect(b); ok {
				out.boxes = append(out.boxes, both)
			}
		}
	}
	return out.simple()
}

// Subtract returns the objects that are in the cover and not in another.
func (c Cover) Subtract(o Cover) Cover {
	rest := c.boxes
	for _, b := range o.boxes {
		var next []box
		for _, a := range rest {
			next = append(next, a.subtract(b)...)
		}
		rest = next
	}
	return Cover{rest}.simple()
}

// Contains reports whether each object of another cover is in this one.
func (c Cover) Contains(o Cover) bool { return o.Subtract(c).IsEmpty() }

// Overlaps reports whether an object can be in both covers.
func (c Cover) Overlaps(o Cover) bool { return !c.Intersect(o).IsEmpty() }

// Equal reports whether two covers have the same objects.
func (c Cover) Equal(o Cover) bool { return c.Contains(o) && o.Contains(c) }

// simple returns the cover with boxes joined that differ in one dimension only.
func (c Cover) simple() Cover {
	for {
		before := len(c.boxes)
		for _, d := range c.dimensions() {
			c.boxes = joinAlong(d, c.boxes)
		}
		if len(c.boxes) == before || len(c.boxes) < 2 {
			return c
		}
	}
}

func (c Cover) dimensions() []Dimension {
	all := box{}
	for _, b := range c.boxes {
		maps.Copy(all, b)
	}
	return all.dimensions()
}

// joinAlong joins boxes that differ in one dimension at most.
func joinAlong(d Dimension, boxes []box) []box {
	if len(boxes) < 2 {
		return boxes
	}
	groups := map[string][]box{}
	var order []string
	for _, b := range boxes {
		key := b.textWithout(d)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], b)
	}
	out := make([]box, 0, len(order))
	for _, key := range order {
		out = append(out, joinGroup(d, groups[key]))
	}
	return out
}

func joinGroup(d Dimension, group []box) box {
	if len(group) == 1 {
		return group[0]
	}
	joined := maps.Clone(group[0])
	sets := make([]Set, 0, len(group))
	for _, b := range group {
		s, restricted := b[d]
		if !restricted {
			delete(joined, d)
			return joined
		}
		sets = append(sets, s)
	}
	if s := unite(sets); s.isAll() {
		delete(joined, d)
	} else {
		joined[d] = s
	}
	return joined
}

func (b box) textWithout(without Dimension) string {
	var text strings.Builder
	for _, d := range b.dimensions() {
		if d == without {
			continue
		}
		text.WriteString(string(d.Kind) + " " + d.Name + " " + b[d].String() + "; ")
	}
	return text.String()
}

// String returns the cover for messages.
func (c Cover) String() string {
	texts := make([]string, len(c.boxes))
	for i, b := range c.boxes {
		texts[i] = strings.TrimSuffix(b.textWithout(Dimension{}), "; ")
		if texts[i] == "" {
			texts[i] = "everything"
		}
	}
	if len(texts) == 0 {
		return "nothing"
	}
	return strings.Join(texts, " | ")
}

// Reader returns the value of an object of type O in a dimension: a text, or a hash.
type Reader[O any] struct {
	Value func(O) string
	Hash  func(O) uint64
}

// Test returns a function that reports whether an object is in a cover, and nil if all are. Dimensions for which reader returns a zero
// Reader are not looked at.
func Test[O any](c Cover, reader func(Dimension) Reader[O]) func(O) bool {
	if c.IsEmpty() {
		return func(O) bool { return false }
	}
	var any []func(O) bool
	for _, b := range c.boxes {
		test := testBox(b, reader)
		if test == nil {
			return nil
		}
		any = append(any, test)
	}
	if len(any) == 1 {
		return any[0]
	}
	return func(o O) bool {
		return slices.ContainsFunc(any, func(test func(O) bool) bool { return test(o) })
	}
}

func testBox[O any](b box, reader func(Dimension) Reader[O]) func(O) bool {
	var all []func(O) bool
	for _, d := range b.dimensions() {
		s, read := b[d], reader(d)
		switch {
		case read.Hash != nil:
			all = append(all, func(o O) bool { return s.hasHash(read.Hash(o)) })
		case read.Value != nil:
			all = append(all, func(o O) bool { return s.Has(read.Value(o)) })
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return func(o O) bool {
		for _, test := range all {
			if !test(o) {
				return false
			}
		}
		return true
	}
}
