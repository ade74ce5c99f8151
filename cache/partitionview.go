package cache

import (
	"errors"
	"maps"
	"slices"

	"vedette.dev/internal/engine"
	"vedette.dev/internal/object"
)

// partitionView is a view of one partition of a divided informer's store.
type partitionView struct {
	*cache
	id string
}

var _ Indexer = partitionView{}

// PartitionIndexer returns a read-only view of the objects of one partition. It is empty if the partition does not
// exist.
func (s *informer) PartitionIndexer(id string) Indexer {
	return partitionView{s.indexer, id}
}

var errReadOnly = errors.New("the view of a partition is read-only")

func (v partitionView) Add(interface{}) error               { return errReadOnly }
func (v partitionView) Update(interface{}) error            { return errReadOnly }
func (v partitionView) Delete(interface{}) error            { return errReadOnly }
func (v partitionView) Replace([]interface{}, string) error { return errReadOnly }

func (v partitionView) List() []interface{} {
	list, _ := v.cache.ByIndex(engine.PartitionIndex, v.id)
	return list
}

func (v partitionView) ListKeys() []string {
	keys, _ := v.table.KeysByIndex(engine.PartitionIndex, v.id)
	return keys
}

func (v partitionView) Get(obj interface{}) (item interface{}, exists bool, err error) {
	key, err := v.keyFunc(obj)
	if err != nil {
		return nil, false, KeyError{obj, err}
	}
	return v.GetByKey(key)
}

func (v partitionView) GetByKey(key string) (item interface{}, exists bool, err error) {
	obj, owner, ok := v.table.GetOwned(key)
	if !ok || owner != v.id {
		return nil, false, nil
	}
	item, err = v.decode.of(obj, object.ForGet)
	return item, err == nil, err
}

func (v partitionView) Index(indexName string, obj interface{}) ([]interface{}, error) {
	rows, err := v.table.Like(indexName, obj)
	if err != nil {
		return nil, err
	}
	out := []interface{}{}
	for _, r := range rows {
		if v.has(r.Key()) {
			out = v.decode.appendTo(out, r.Object, object.ForIndex)
		}
	}
	return out, nil
}

func (v partitionView) has(key string) bool {
	owner, ok := v.table.Owner(key)
	return ok && owner == v.id
}

func (v partitionView) IndexKeys(indexName, indexedValue string) ([]string, error) {
	keys, err := v.table.KeysByIndex(indexName, indexedValue)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(keys, func(key string) bool { return !v.has(key) }), nil
}

func (v partitionView) ByIndex(indexName, indexedValue string) ([]interface{}, error) {
	mine, err := v.viewByIndex(indexName, indexedValue)
	if err != nil {
		return nil, err
	}
	defer mine.Release()
	return mine.objects(), nil
}

// viewAll and viewByIndex implement viewer. Those of the store would show all partitions.

func (v partitionView) viewAll() view {
	all, _ := v.cache.viewByIndex(engine.PartitionIndex, v.id)
	all.use = object.ForList
	return all
}

func (v partitionView) viewByIndex(name, value string) (view, error) {
	all, err := v.cache.viewByIndex(name, value)
	if err == nil && (name != engine.PartitionIndex || value != v.id) {
		all.Filter(v.has)
	}
	return all, err
}

func (v partitionView) ListIndexFuncValues(indexName string) []string {
	index, ok := v.GetIndexers()[indexName]
	if !ok {
		return []string{}
	}
	seen := map[string]struct{}{}
	for _, obj := range v.List() {
		values, _ := index.call(obj)
		for _, value := range values {
			seen[value] = struct{}{}
		}
	}
	return slices.Collect(maps.Keys(seen))
}
