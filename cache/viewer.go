package cache

import "vedette.dev/internal/table"

// opener returns what a reader is given for an object that is stored. A nil opener returns the object as it is.
type opener func(stored any) (any, error)

// of returns what a reader is given for stored.
func (o opener) of(stored any) (any, error) {
	if o == nil {
		return stored, nil
	}
	return o(stored)
}

// appendTo appends what a reader is given for stored, unless there is an error.
func (o opener) appendTo(list []any, stored any) []any {
	if obj, err := o.of(stored); err == nil {
		list = append(list, obj)
	}
	return list
}

// view is a view of a table with the opener for its objects.
type view struct {
	table.View
	open opener
}

// objects returns what a reader is given for the objects of the view, without those for which there is an error.
func (v *view) objects() []any {
	out := make([]any, 0, v.Len())
	for r := range v.Rows() {
		out = v.open.appendTo(out, r.Object)
	}
	return out
}

// forCopy is table.View.ForCopy. A view with an opener takes no slot, because an opener may run for long.
func (v view) forCopy(again func() (view, error)) (view, error) {
	if v.open != nil {
		return v, nil
	}
	next, err := v.View.ForCopy(func() (table.View, error) {
		v, err := again()
		return v.View, err
	})
	return view{View: next}, err
}

// viewer is implemented by the stores of this package. Listers read them through a view and copy only the objects that they
// keep. Other stores are asked for lists.
type viewer interface {
	viewAll() view
	viewByIndex(name, value string) (view, error)
}

func (c *cache) viewAll() view { return view{c.table.All(), c.open} }

func (c *cache) viewByIndex(name, value string) (view, error) {
	v, err := c.table.ByIndex(name, value)
	return view{v, c.open}, err
}

// collect returns the objects of a view that a filter keeps.
func collect[T any](v *view, keep filter) ([]T, error) {
	if keep == nil {
		return collectAll[T](v)
	}
	var out []T
	for r := range v.Rows() {
		ok, err := keep(r.Object)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if out, err = appendTyped(out, r.Object, v.open); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// appendTyped appends what a reader is given for stored.
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

// collectAll returns all objects of a view.
func collectAll[T any](v *view) ([]T, error) {
	out := make([]T, 0, v.Len())
	for r := range v.Rows() {
		var err error
		if out, err = appendTyped(out, r.Object, v.open); err != nil {
			return nil, err
		}
	}
	return out, nil
}
