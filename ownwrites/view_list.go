package ownwrites

import (
	"fmt"
	"maps"
	"slices"

	"vedette.dev/cache"
)

func (v *view) List() []any {
	if v.t.overlay.empty() {
		return v.store.List()
	}
	entries := v.t.overlay.snapshot()
	list := entries.without(v.store.List())
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
	keys := entries.withoutKeys(v.store.ListKeys())
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
	list = entries.without(list)
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
	keys = entries.withoutKeys(keys)
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
	list = entries.without(list)
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
	// A value that only objects with an entry have in the store may be gone.
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
			if keys, err := v.store.IndexKeys(indexName, value); err != nil || len(entries.withoutKeys(keys)) == 0 {
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

// each visits what is to be seen under the names of the entries, with its values in an index.
func (v *view) each(entries *snapshot, indexName string, visit func(e *entry, obj any, values []string)) {
	index := v.store.GetIndexers()[indexName]
	for e := range entries.all() {
		if s := v.t.now(e); s.exists {
			visit(e, s.obj, e.values(indexName, index, s))
		}
	}
}

// values are those that an index has for what is to be seen under the name of the entry. A function that fails files the
// object under nothing, as in the store.
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
	e.filed.Store(&more) // what another one has stored meanwhile is computed again
	return values
}

// call calls an index function of the user's, and makes an error of a panic.
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

// without takes the objects that have an entry out of a list of the caller's own.
func (s *snapshot) without(list []any) []any {
	return slices.DeleteFunc(list, func(obj any) bool {
		m := metaOf(obj)
		return m != nil && s.has(cache.MetaObjectToName(m))
	})
}

func (s *snapshot) withoutKeys(keys []string) []string {
	return slices.DeleteFunc(keys, func(key string) bool {
		name, err := cache.ParseObjectName(key)
		return err == nil && s.has(name)
	})
}
