package ownwrites

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"vedette.dev/cache"
)

func (v *view) List() []any {
	if v.t.overlay.empty() {
		return v.store.List()
	}
	entries := v.t.overlay.snapshot()
	list := v.without(entries, v.store.List(), v.store.ListKeys, nil)
	for e := range entries.all() {
		if s := v.t.now(e); s.exists {
			list = append(list, s.obj)
		}
	}
	return list
}

func (v *view) ListKeys() []string {
	if v.t.overlay.empty() {
		return v.store.ListKeys()
	}
	entries := v.t.overlay.snapshot()
	keys := v.withoutKeys(entries, v.store.ListKeys())
	for e := range entries.all() {
		if v.t.now(e).exists {
			keys = append(keys, e.key)
		}
	}
	return keys
}

func (v *view) ByIndex(indexName, indexedValue string) ([]any, error) {
	if v.t.overlay.empty() {
		return v.store.ByIndex(indexName, indexedValue)
	}
	entries := v.t.overlay.snapshot()
	list, err := v.store.ByIndex(indexName, indexedValue)
	if err != nil {
		return nil, err
	}
	list = v.without(entries, list, func() []string {
		keys, _ := v.store.IndexKeys(indexName, indexedValue)
		return keys
	}, v.indexed(indexName, []string{indexedValue}))
	v.each(entries, indexName, func(_ *entry, obj any, values []string) {
		if slices.Contains(values, indexedValue) {
			list = append(list, obj)
		}
	})
	return list, nil
}

func (v *view) IndexKeys(indexName, indexedValue string) ([]string, error) {
	if v.t.overlay.empty() {
		return v.store.IndexKeys(indexName, indexedValue)
	}
	return v.indexKeys(v.t.overlay.snapshot(), indexName, indexedValue)
}

func (v *view) indexKeys(entries *snapshot, indexName, indexedValue string) ([]string, error) {
	keys, err := v.store.IndexKeys(indexName, indexedValue)
	if err != nil {
		return nil, err
	}
	keys = v.withoutKeys(entries, keys)
	v.each(entries, indexName, func(e *entry, _ any, values []string) {
		if slices.Contains(values, indexedValue) {
			keys = append(keys, e.key)
		}
	})
	slices.Sort(keys)
	return keys, nil
}

func (v *view) Index(indexName string, obj any) ([]any, error) {
	if v.t.overlay.empty() {
		return v.store.Index(indexName, obj)
	}
	entries := v.t.overlay.snapshot()
	list, err := v.store.Index(indexName, obj)
	if err != nil {
		return nil, err
	}
	wanted, err := call(v.store.GetIndexers()[indexName], obj)
	if err != nil {
		return nil, err
	}
	list = v.without(entries, list, func() []string {
		var keys []string
		for _, value := range wanted {
			more, _ := v.store.IndexKeys(indexName, value)
			keys = append(keys, more...)
		}
		slices.Sort(keys)
		return slices.Compact(keys)
	}, v.indexed(indexName, wanted))
	v.each(entries, indexName, func(_ *entry, obj any, values []string) {
		if slices.ContainsFunc(values, func(value string) bool { return slices.Contains(wanted, value) }) {
			list = append(list, obj)
		}
	})
	return list, nil
}

func (v *view) ListIndexFuncValues(indexName string) []string {
	if v.t.overlay.empty() {
		return v.store.ListIndexFuncValues(indexName)
	}
	entries := v.t.overlay.snapshot()
	// A value that only objects with an entry have in the store may no longer exist.
	doubtful := map[string]bool{}
	index := v.store.GetIndexers()[indexName]
	for e := range entries.all() {
		if h := v.t.held(e.key); h.exists {
			values, _ := call(index, h.obj)
			for _, value := range values {
				doubtful[value] = true
			}
		}
	}
	set := map[string]bool{}
	for _, value := range v.store.ListIndexFuncValues(indexName) {
		if doubtful[value] {
			if keys, err := v.store.IndexKeys(indexName, value); err != nil || len(v.withoutKeys(entries, keys)) == 0 {
				continue
			}
		}
		set[value] = true
	}
	v.each(entries, indexName, func(_ *entry, _ any, values []string) {
		for _, value := range values {
			set[value] = true
		}
	})
	return slices.Collect(maps.Keys(set))
}

// each visits the visible state of each entry, with its values in an index.
func (v *view) each(entries *snapshot, indexName string, visit func(e *entry, obj any, values []string)) {
	index := v.store.GetIndexers()[indexName]
	for e := range entries.all() {
		if s := v.t.now(e); s.exists {
			visit(e, s.obj, e.values(indexName, index, s))
		}
	}
}

// values returns the index values of the visible state of an entry. If the index function fails there are none, as in
// the store.
func (e *entry) values(indexName string, index cache.IndexFunc, s seen) []string {
	if !s.own {
		values, _ := call(index, s.obj)
		return values
	}
	var known map[string][]string
	if m := e.filed.Load(); m != nil {
		known = *m
	}
	if values, ok := known[indexName]; ok {
		return values
	}
	values, _ := call(index, e.obj)
	more := maps.Clone(known)
	if more == nil {
		more = map[string][]string{}
	}
	more[indexName] = values
	e.filed.Store(&more) // values stored concurrently by another goroutine are computed again
	return values
}

// call calls an index function and returns a panic as an error.
func call(index cache.IndexFunc, obj any) (values []string, err error) {
	if index == nil {
		return nil, nil
	}
	defer func() {
		if cause := recover(); cause != nil {
			values, err = nil, fmt.Errorf("index function panicked: %v", cause)
		}
	}()
	values, err = index(obj)
	if err != nil {
		return nil, err
	}
	return values, nil
}

// without removes the objects that have an entry from list, which it may modify.
//
// Objects do not know their cluster. If there are several, those with the name of an entry are looked up by their keys,
// and kept if keep returns true: they may have changed since they were listed. A nil keep keeps all.
func (v *view) without(entries *snapshot, list []any, keys func() []string, keep func(obj any) bool) []any {
	named := func(obj any) bool {
		m := metaOf(obj)
		return m != nil && v.hasName(entries, cache.MetaObjectToName(m))
	}
	list = slices.DeleteFunc(list, named)
	if !v.t.clusters.several() {
		return list
	}
	for _, key := range v.withoutKeys(entries, keys()) {
		if !v.mayHaveName(entries, key) {
			continue
		}
		obj, exists, err := v.store.GetByKey(key)
		if err == nil && exists && named(obj) && (keep == nil || keep(obj)) {
			list = append(list, obj)
		}
	}
	return list
}

// hasName reports whether there is an entry of this name in any cluster.
func (v *view) hasName(entries *snapshot, name cache.ObjectName) bool {
	for _, cluster := range v.t.clusters.all() {
		if entries.has(ident{cluster, name}) {
			return true
		}
	}
	return false
}

// mayHaveName reports whether the object under a key may have the name of an entry in any cluster, including clusters
// that the tracker does not know.
func (v *view) mayHaveName(entries *snapshot, key string) bool {
	_, rest, _ := strings.Cut(key, "|")
	for _, text := range []string{key, rest} {
		if name, err := cache.ParseObjectName(text); err == nil && v.hasName(entries, name) {
			return true
		}
	}
	return false
}

func (v *view) withoutKeys(entries *snapshot, keys []string) []string {
	return slices.DeleteFunc(keys, func(key string) bool {
		id, err := v.t.clusters.parse(key)
		return err == nil && entries.has(id)
	})
}

// indexed returns a function that reports whether an index has an object under one of these values.
func (v *view) indexed(indexName string, wanted []string) func(obj any) bool {
	index := v.store.GetIndexers()[indexName]
	return func(obj any) bool {
		values, _ := call(index, obj)
		return slices.ContainsFunc(values, func(value string) bool { return slices.Contains(wanted, value) })
	}
}
