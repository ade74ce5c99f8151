package cache

// viewer is how listers read a store of this package without a list in between: they go over its rows as they were at
// one moment, and copy only what they keep. Other stores are asked for lists.
type viewer interface {
	viewAll() view
	viewByIndex(name, value string) (view, error)
}

func (c *cache) viewAll() view { return c.table.all() }

func (c *cache) viewByIndex(name, value string) (view, error) { return c.table.byIndex(name, value) }

// collect gathers those objects of a view that a filter keeps.
func collect[T any](v *view, keep filter) ([]T, error) {
	if keep == nil {
		return collectAll[T](v)
	}
	var out []T
	for r := range v.each() {
		ok, err := keep(r.obj)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		typed, ok := r.obj.(T)
		if !ok {
			return nil, errWrongType[T](r.obj)
		}
		out = append(out, typed)
	}
	return out, nil
}

func collectAll[T any](v *view) ([]T, error) {
	out := make([]T, 0, v.n)
	for r := range v.each() {
		typed, ok := r.obj.(T)
		if !ok {
			return nil, errWrongType[T](r.obj)
		}
		out = append(out, typed)
	}
	return out, nil
}
