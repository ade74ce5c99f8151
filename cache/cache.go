package cache

import (
	"fmt"

	"vedette.dev/internal/table"
)

// cache is a table with a function that returns the keys of objects.
type cache struct {
	table       *table.Table
	keyFunc     KeyFunc
	transformer TransformFunc
	open        opener
	metric      GaugeMetric // of the version; nil without one
}

var (
	_ Indexer          = (*cache)(nil)
	_ TransactionStore = (*cache)(nil)
)

func newCache(keyFunc KeyFunc, indexers Indexers, opts []StoreOption) *cache {
	c := &cache{keyFunc: keyFunc}
	for _, opt := range opts {
		opt(c)
	}
	config := tableConfig(indexers)
	config.OnVersion = onVersion(c.metric)
	c.table = table.New(config)
	return c
}

func (c *cache) Add(obj interface{}) error { return c.Update(obj) }

func (c *cache) Update(obj interface{}) error {
	key, obj, err := c.admit(obj)
	if err != nil {
		return err
	}
	return c.table.Put(key, obj, versionAt(obj))
}

// admit returns the key and what is to be stored under it.
func (c *cache) admit(obj any) (string, any, error) {
	key, err := c.keyFunc(obj)
	if err != nil {
		return "", nil, KeyError{obj, err}
	}
	if c.transformer != nil {
		if obj, err = c.transformer(obj); err != nil {
			return "", nil, fmt.Errorf("transforming: %w", err)
		}
	}
	return key, obj, nil
}

func (c *cache) Delete(obj interface{}) error {
	key, err := c.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	c.table.Remove(key, versionAt(obj))
	return nil
}

func (c *cache) Replace(list []interface{}, resourceVersion string) error {
	keys := make([]string, len(list))
	for i, obj := range list {
		var err error
		if keys[i], list[i], err = c.admit(obj); err != nil {
			return err
		}
	}
	pairs := func(yield func(string, any) bool) {
		for i, key := range keys {
			if !yield(key, list[i]) {
				return
			}
		}
	}
	return c.table.Replace(pairs, len(list), resourceVersion)
}

func (c *cache) Transaction(txns ...Transaction) *TransactionError {
	steps := make([]table.Step, 0, len(txns))
	var last any // the table is at the version of the last object
	done := make([]int, 0, len(txns))
	var failed []error
	for i, txn := range txns {
		key, err := c.keyFunc(txn.Object)
		if err != nil {
			failed = append(failed, KeyError{txn.Object, err})
			continue
		}
		steps, last = txn.appendStep(steps, key), txn.Object
		done = append(done, i)
	}
	if err := c.table.Apply(steps, versionAt(last)); err != nil {
		failed = append(failed, err)
	}
	if len(failed) == 0 {
		return nil
	}
	return &TransactionError{SuccessfulIndices: done, TotalTransactions: len(txns), Errors: failed}
}

func (c *cache) Get(obj interface{}) (item interface{}, exists bool, err error) {
	key, err := c.keyFunc(obj)
	if err != nil {
		return nil, false, KeyError{obj, err}
	}
	return c.GetByKey(key)
}

// stored returns the object of a key as it is stored, or nil.
func (c *cache) stored(key string) any {
	obj, _ := c.table.Get(key)
	return obj
}

func (c *cache) GetByKey(key string) (item interface{}, exists bool, err error) {
	if item, exists = c.table.Get(key); !exists {
		return nil, false, nil
	}
	item, err = c.open.of(item)
	return item, err == nil, err
}

func (c *cache) List() []interface{} {
	if c.open == nil {
		return c.table.List()
	}
	v := c.viewAll()
	defer v.Release()
	return v.objects()
}

func (c *cache) ListKeys() []string { return c.table.Keys() }

func (c *cache) LastStoreSyncResourceVersion() string { return c.table.Version() }

func (c *cache) Bookmark(rv string) { c.table.SetVersion(rv) }

func (c *cache) Resync() error { return nil }

func (c *cache) Index(indexName string, obj interface{}) ([]interface{}, error) {
	rows, err := c.table.Like(indexName, obj)
	if err != nil {
		return nil, err
	}
	out := make([]any, 0, len(rows))
	for _, r := range rows {
		out = c.open.appendTo(out, r.Object)
	}
	return out, nil
}

func (c *cache) IndexKeys(indexName, indexedValue string) ([]string, error) {
	return c.table.KeysByIndex(indexName, indexedValue)
}

func (c *cache) ListIndexFuncValues(indexName string) []string { return c.table.IndexValues(indexName) }

func (c *cache) ByIndex(indexName, indexedValue string) ([]interface{}, error) {
	if c.open == nil {
		return c.table.ListByIndex(indexName, indexedValue)
	}
	v, err := c.viewByIndex(indexName, indexedValue)
	if err != nil {
		return nil, err
	}
	defer v.Release()
	return v.objects(), nil
}

func (c *cache) GetIndexers() Indexers { return indexersOf(c.table) }

func (c *cache) AddIndexers(newIndexers Indexers) error {
	return c.table.AddIndexes(indexesOf(newIndexers))
}
