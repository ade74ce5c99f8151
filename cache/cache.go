package cache

import (
	"fmt"
	"slices"
)

// cache is a table with a function that makes the keys.
type cache struct {
	table       *table
	keyFunc     KeyFunc
	transformer TransformFunc
	open        opener
}

var (
	_ Indexer          = (*cache)(nil)
	_ TransactionStore = (*cache)(nil)
)

func newCache(keyFunc KeyFunc, indexers Indexers, opts []StoreOption) *cache {
	c := &cache{table: newTable(indexers), keyFunc: keyFunc}
	for _, opt := range opts {
		opt(c)
	}
	return c
}

func (c *cache) Add(obj interface{}) error { return c.Update(obj) }

func (c *cache) Update(obj interface{}) error {
	key, obj, err := c.admit(obj)
	if err != nil {
		return err
	}
	return c.table.put(key, obj)
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
	c.table.remove(key, obj)
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
	return c.table.replace(pairs, len(list), resourceVersion)
}

func (c *cache) Transaction(txns ...Transaction) *TransactionError {
	steps := make([]ThreadSafeStoreTransaction, 0, len(txns))
	done := make([]int, 0, len(txns))
	var failed []error
	for i, txn := range txns {
		key, err := c.keyFunc(txn.Object)
		if err != nil {
			failed = append(failed, KeyError{txn.Object, err})
			continue
		}
		steps = append(steps, ThreadSafeStoreTransaction{Transaction: txn, Key: key})
		done = append(done, i)
	}
	if err := c.table.apply(steps); err != nil {
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

func (c *cache) GetByKey(key string) (item interface{}, exists bool, err error) {
	if item, exists = c.table.get(key); !exists {
		return nil, false, nil
	}
	item, err = c.open.of(item)
	return item, err == nil, err
}

func (c *cache) List() []interface{} { return c.table.list(c.open) }

func (c *cache) ListKeys() []string { return c.table.listKeys() }

func (c *cache) LastStoreSyncResourceVersion() string { return c.table.lastVersion() }

func (c *cache) Bookmark(rv string) { c.table.bookmark(rv) }

func (c *cache) Resync() error { return nil }

func (c *cache) Index(indexName string, obj interface{}) ([]interface{}, error) {
	return c.table.index(indexName, obj, c.open)
}

func (c *cache) IndexKeys(indexName, indexedValue string) ([]string, error) {
	return c.table.indexKeys(indexName, indexedValue)
}

func (c *cache) ListIndexFuncValues(indexName string) []string { return c.table.values(indexName) }

func (c *cache) ByIndex(indexName, indexedValue string) ([]interface{}, error) {
	return c.table.listByIndex(indexName, indexedValue, c.open)
}

func (c *cache) GetIndexers() Indexers { return c.table.indexers.Load().indexers() }

func (c *cache) AddIndexers(newIndexers Indexers) error { return c.table.addIndexers(newIndexers) }

// list and those below are the reads that return slices of the caller's own.
func (t *table) list(open opener) []any {
	look := func() (view, error) {
		v := t.all()
		v.open = open
		return v, nil
	}
	v, _ := look()
	v, _ = v.inTurn(look)
	defer v.release()
	return v.objects()
}

func (t *table) listKeys() []string {
	v := t.all()
	defer v.release()
	return v.keys()
}

func (t *table) listByIndex(name, value string, open opener) ([]any, error) {
	look := func() (view, error) {
		v, err := t.byIndex(name, value)
		v.open = open
		return v, err
	}
	v, err := look()
	if err == nil {
		v, err = v.inTurn(look)
	}
	if err != nil {
		return nil, err
	}
	defer v.release()
	return v.objects(), nil
}

func (t *table) indexKeys(name, value string) ([]string, error) {
	v, err := t.byIndex(name, value)
	if err != nil {
		return nil, err
	}
	defer v.release()
	keys := v.keys()
	slices.Sort(keys)
	return keys, nil
}

// index returns the objects that share a value with the given one.
func (t *table) index(name string, obj any, open opener) ([]any, error) {
	rows, err := t.alike(name, obj)
	if err != nil {
		return nil, err
	}
	out := make([]any, 0, len(rows))
	for _, r := range rows {
		if obj, err := open.of(r.obj); err == nil {
			out = append(out, obj)
		}
	}
	return out, nil
}

func (t *table) alike(name string, obj any) ([]row, error) {
	set := t.indexers.Load()
	number, ok := set.numbers[name]
	if !ok {
		return nil, errNoIndex(name)
	}
	values, err := set.funcs[number].call(obj)
	if err != nil {
		return nil, err
	}
	return t.byValues(name, values)
}
