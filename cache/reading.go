package cache

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/internal/object"
	"vedette.dev/internal/wire/wirefilter"
)

// All returns an iterator over the objects that the selector matches, as they were when the loop began. It builds no slice, and a packed
// object is decoded when the loop comes to it, so that a loop over any number of objects needs memory for one. An error ends the loop; it
// comes with the zero T. Break out of the loop at any time.
//
// While the loop runs, each write to the store copies a small part of it, and old states of objects stay in memory: do not wait in the loop.
func (l TypedLister[T]) All(selector labels.Selector) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if labels.MatchesNothing(selector) {
			return
		}
		s, ok := storeBehind(l.indexer).(viewer)
		if !ok {
			list, err := l.listElsewhere(selector)
			eachOf(list, err, yield)
			return
		}
		v, keep := l.view(s, selector)
		defer v.Release()
		each(&v, keep, yield)
	}
}

// AllByIndex returns an iterator over the objects that have a value in an index, like All. If there is no such index, the iterator has that
// error.
func (l TypedLister[T]) AllByIndex(name, value string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		keep := keeper(nil, l.namespace)
		s, ok := storeBehind(l.indexer).(viewer)
		if !ok {
			list, err := l.indexer.ByIndex(name, value)
			var out []T
			if err == nil {
				out, err = typedMatching[T](list, keep)
			}
			eachOf(out, err, yield)
			return
		}
		v, err := s.viewByIndex(name, value)
		if err != nil {
			yield(none, err)
			return
		}
		defer v.Release()
		each(&v, keep, yield)
	}
}

// typedMatching returns the objects of a list that a filter keeps.
func typedMatching[T any](list []any, keep filter) (out []T, err error) {
	var wrong error
	err = appendMatching(list, keep, func(obj any) {
		if wrong == nil {
			out, wrong = appendTyped(out, obj, &view{})
		}
	})
	return out, cmp.Or(err, wrong)
}

// each yields the objects of a view that a filter keeps.
func each[T any](v *view, keep filter, yield func(T, error) bool) {
	var none T
	for r := range v.Rows() {
		if keep != nil {
			ok, err := keep(r.Object)
			if err != nil {
				yield(none, err)
				return
			}
			if !ok {
				continue
			}
		}
		obj, err := v.decode.of(r.Object, object.ForIterator)
		if err != nil {
			yield(none, err)
			return
		}
		typed, ok := obj.(T)
		if !ok {
			yield(none, errWrongType[T](obj))
			return
		}
		if !yield(typed, nil) {
			return
		}
	}
}

func eachOf[T any](list []T, err error, yield func(T, error) bool) {
	for _, obj := range list {
		if !yield(obj, nil) {
			return
		}
	}
	if err != nil {
		var none T
		yield(none, err)
	}
}

// Metadata returns a lister of the metadata of the same objects: names, labels, annotations, owners. With packed storage, nothing else is
// decoded. apiVersion and kind are set where the objects have them.
func (l TypedLister[T]) Metadata() TypedLister[*metav1.PartialObjectMetadata] {
	out := TypedLister[*metav1.PartialObjectMetadata](l)
	if c, ok := storeBehind(l.indexer).(*cache); ok {
		out.indexer = &cache{table: c.table, keyFunc: c.keyFunc, decode: metadataOf}
	} else {
		out.indexer = metadataIndexer{l.indexer}
	}
	return out
}

// metadataOf is the decoder of metadata.
func metadataOf(stored any, use object.Use) (any, error) {
	kind := schema.GroupVersionKind{}
	switch o := stored.(type) {
	case object.AtRest:
		kind = o.Kind()
	case interface{ GetObjectKind() schema.ObjectKind }:
		kind = o.GetObjectKind().GroupVersionKind()
	}
	return toMetadata(stored, kind, use)
}

// metadataIndexer shows the metadata of the objects of an indexer that is not of this package.
type metadataIndexer struct{ Indexer }

func (m metadataIndexer) GetByKey(key string) (any, bool, error) {
	obj, exists, err := m.Indexer.GetByKey(key)
	if err != nil || !exists {
		return nil, exists, err
	}
	obj, err = metadataOf(obj, object.ForGet)
	return obj, err == nil, err
}

func (m metadataIndexer) List() []any { return metadataOfAll(m.Indexer.List()) }

func (m metadataIndexer) ByIndex(indexName, indexedValue string) ([]any, error) {
	list, err := m.Indexer.ByIndex(indexName, indexedValue)
	return metadataOfAll(list), err
}

// metadataOfAll leaves out what has no metadata.
func metadataOfAll(list []any) []any {
	var none decoder = metadataOf
	out := make([]any, 0, len(list))
	for _, obj := range list {
		out = none.appendTo(out, obj, object.ForList)
	}
	return out
}

// Fields returns a lister of the same objects that decodes only some fields, and the identity: apiVersion, kind, namespace, name, UID, resource
// version and generation. Paths are as in Storage.Keep. Other fields are empty, so do not send such an object back to the server. It is an
// error if T does not have a field. Where objects are stored decoded, the lister returns them as they are.
func (l TypedLister[T]) Fields(paths ...string) (TypedLister[T], error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return l, fmt.Errorf("cache: Fields needs a lister of one Go type, and not of %v", t)
	}
	if _, err := wirefilter.Keep(reflect.New(t.Elem()).Interface(), paths...); err != nil {
		return l, fmt.Errorf("cache: Fields: %w", err)
	}
	c, ok := storeBehind(l.indexer).(*cache)
	if !ok || c.decode == nil {
		return l, nil
	}
	fields, whole := object.NewFields(paths...), c.decode
	l.indexer = &cache{table: c.table, keyFunc: c.keyFunc, decode: func(stored any, use object.Use) (any, error) {
		if r, ok := stored.(object.AtRest); ok && !c.converts {
			return r.CopyFields(fields, use)
		}
		return whole(stored, use)
	}}
	return l, nil
}
