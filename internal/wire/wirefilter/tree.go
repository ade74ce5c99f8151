package wirefilter

import "fmt"

// tree collects the paths of a user. It has the shape of the type: names lead to the fields of a struct, keys to values of a
// map, and each to all values of a map.
type tree struct {
	do    deed
	rest  deed // what is done with children that have no tree, if do is enter
	path  string
	names map[string]*tree
	keys  map[string]*tree
	each  *tree
}

// child finds or makes a child in one of the maps.
func child(children *map[string]*tree, name string, rest deed) *tree {
	if *children == nil {
		*children = map[string]*tree{}
	}
	c := (*children)[name]
	if c == nil {
		c = &tree{do: enter, rest: rest}
		(*children)[name] = c
	}
	return c
}

func (t *tree) empty() bool { return len(t.names)+len(t.keys) == 0 && t.each == nil }

// some is the path of any leaf in the tree.
func (t *tree) some() string {
	if t.do != enter {
		return t.path
	}
	least := ""
	see := func(c *tree) {
		if p := c.some(); least == "" || p < least {
			least = p
		}
	}
	for _, c := range t.names {
		see(c)
	}
	for _, c := range t.keys {
		see(c)
	}
	if t.each != nil {
		see(t.each)
	}
	return least
}

// merged is what is asked for in either of two trees.
func merged(a, b *tree) *tree {
	switch {
	case b == nil || a != nil && a.do != enter:
		return a
	case a == nil || b.do != enter:
		return b
	}
	out := &tree{do: enter, rest: a.rest, each: merged(a.each, b.each)}
	out.names = mergedChildren(a.names, b.names)
	out.keys = mergedChildren(a.keys, b.keys)
	return out
}

func mergedChildren(a, b map[string]*tree) map[string]*tree {
	out := map[string]*tree{}
	for name, c := range a {
		out[name] = merged(c, b[name])
	}
	for name, c := range b {
		if a[name] == nil {
			out[name] = c
		}
	}
	return out
}

// mode is how leaves are treated: kept or dropped.
type mode struct{ leaf, rest deed }

var (
	keeping  = mode{leaf: whole, rest: omit}
	dropping = mode{leaf: omit, rest: whole}
)

// identity are the fields that always stay. An informer files objects by them, and rest.Meta reads them all. The generation is
// among them because it is eight bytes at most and because without it every update looks as if the spec had not changed.
var identity = []string{
	"apiVersion", "kind",
	"metadata.name", "metadata.namespace", "metadata.uid", "metadata.resourceVersion", "metadata.generation",
}

// add puts a path into the tree.
func (t *tree) add(typ *place, path string, m mode) error {
	parts, err := parse(path)
	if err != nil {
		return err
	}
	at := t
	for _, p := range parts {
		if at.do != enter {
			return fmt.Errorf("%s is in the paths, and so is %s, which is a part of it: name only one of them", at.path, path)
		}
		if at, typ, err = typ.step(at, p, path, m.rest); err != nil {
			return err
		}
	}
	switch {
	case at.do != enter && at.path == path:
		return fmt.Errorf("%s is in the paths twice", path)
	case at.do != enter:
		return fmt.Errorf("%s and %s in the paths are the same field", at.path, path)
	case !at.empty():
		return fmt.Errorf("%s is in the paths, and so is %s, which is a part of it: name only one of them", path, at.some())
	}
	*at = tree{do: m.leaf, path: path}
	return nil
}

// identify makes the identity stay, as far as the type has it.
func (t *tree) identify(typ *place, m mode) error {
	if m == dropping {
		return t.identifyDropped(typ)
	}
	for _, path := range identity {
		probe := &tree{do: enter, rest: m.rest}
		if probe.add(typ, path, m) == nil {
			*t = *merged(t, probe)
		}
	}
	return nil
}

// identifyDropped: of the metadata that is dropped, the identity stays. To drop a part of the identity is a mistake.
func (t *tree) identifyDropped(typ *place) error {
	for _, path := range identity {
		at := t
		parts, _ := parse(path)
		for i, p := range parts {
			if at = at.names[p.name]; at == nil {
				break
			}
			if at.do == omit && i == len(parts)-1 {
				return fmt.Errorf("%s cannot be dropped: an informer needs it", at.path)
			}
		}
	}
	if meta := t.names["metadata"]; meta != nil && meta.do == omit {
		kept := &tree{do: enter, rest: omit}
		if err := kept.identify(typ, keeping); err != nil {
			return err
		}
		if kept.names["metadata"] != nil {
			t.names["metadata"] = kept.names["metadata"]
		}
	}
	return nil
}
