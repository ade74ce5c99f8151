package cache

// viewer is how listers read a store of this package without a list in between: they go over its rows as they were at
// one moment, and copy only what they keep. Other stores are asked for lists.
type viewer interface {
	viewAll() view
	viewByIndex(name, value string) (view, error)
}

func (c *cache) viewAll() view {
	v := c.table.all()
	v.open = c.open
	return v
}

func (c *cache) viewByIndex(name, value string) (view, error) {
	v, err := c.table.byIndex(name, value)
	v.open = c.open
	return v, err
}

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
		if out, err = appendTyped(out, r.obj, v.open); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// appendTyped appends what a reader is given of an object to others of its type.
func appendTyped[T any](list []T, stored any, open opener) ([]T, error) {
	obj, err := open.of(stored)
	if err != nil {
		return nil, err
	}
	typed, ok := obj.(T)
	if !ok {
		return nil, errWrongType[T](obj)
	}
	return append(list, typed), nil
}

func collectAll[T any](v *view) ([]T, error) {
	out := make([]T, 0, v.n)
	for r := range v.each() {
		var err error
		if out, err = appendTyped(out, r.obj, v.open); err != nil {
			return nil, err
		}
	}
	return out, nil
}
