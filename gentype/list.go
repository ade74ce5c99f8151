package gentype

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/rest"
)

// readList sends the request and decodes the list as a stream. Reading the response first, as Into does, would take as
// much memory again as its text, and twice that while the buffer grows.
func readList[T, L any](ctx context.Context, r *rest.Request) (*L, error) {
	list := new(L)
	obj, ok := any(list).(runtime.Object)
	if !ok {
		return nil, fmt.Errorf("%T is not an API type: it has no DeepCopyObject; use gentype.NewForConfig for plain structs", list)
	}
	field, err := meta.GetItemsPtr(obj)
	if err != nil {
		return nil, err
	}
	into, ok := field.(*[]T)
	if !ok {
		return list, r.Do(ctx).Into(obj)
	}
	items, err := r.Items(ctx)
	if errors.Is(err, rest.ErrNoStream) {
		return list, r.Do(ctx).Into(obj) // a configuration with YAML
	}
	if err != nil {
		return list, err
	}
	defer items.Close()
	var all blocks[T]
	for item, err := range items.All() {
		if err != nil {
			return list, err
		}
		if err := item.Into(all.next()); err != nil {
			return list, err
		}
	}
	if all.count > 0 { // otherwise nil in every encoding, as client-go's clients have it from protobuf, and its fakes
		*into = all.slice()
	}
	listMeta, err := items.ListMeta()
	if err != nil {
		return list, err
	}
	if m, ok := any(list).(metav1.ListMetaAccessor); ok {
		if l, ok := m.GetListMeta().(*metav1.ListMeta); ok {
			*l = listMeta
		}
	}
	return list, nil
}

// blocks is a slice under construction. Appending to a slice would copy each object several times, and leave the copies
// to the garbage collector.
type blocks[T any] struct {
	full    [][]T
	current []T
	count   int
}

const (
	firstBlock = 16
	lastBlock  = 1024
)

func (b *blocks[T]) next() *T {
	if len(b.current) == cap(b.current) {
		size := firstBlock
		if b.current != nil {
			b.full = append(b.full, b.current)
			size = min(2*cap(b.current), lastBlock)
		}
		b.current = make([]T, 0, size)
	}
	b.current = b.current[:len(b.current)+1]
	b.count++
	return &b.current[len(b.current)-1]
}

func (b *blocks[T]) slice() []T {
	if b.full == nil && b.current != nil {
		return b.current
	}
	out := make([]T, 0, b.count)
	for i, block := range b.full {
		out = append(out, block...)
		b.full[i] = nil
	}
	return append(out, b.current...)
}
