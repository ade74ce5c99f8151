package cache

import "fmt"

// PartitionIndex is the index by which the store of a PartitionedInformer finds the objects of a partition. It is the machine
// that says where an object is, and not a function of the object.
const PartitionIndex = "partition"

// newPlacedCache returns a store whose objects have a home each: their one value in PartitionIndex. It is written with
// commitAt alone.
func newPlacedCache(indexers Indexers) (*cache, error) {
	if _, taken := indexers[PartitionIndex]; taken {
		return nil, fmt.Errorf("cache: SharedIndexInformerOptions.Indexers has %q, which the informer fills itself", PartitionIndex)
	}
	t := newTable(nil)
	homes := func(obj any) ([]string, error) {
		key, err := DeletionHandlingMetaNamespaceKeyFunc(obj)
		if err != nil {
			return nil, KeyError{obj, err}
		}
		if home, ok := t.homeOf(key); ok {
			return []string{home}, nil
		}
		return nil, nil
	}
	set, err := newIndexSet(Indexers{PartitionIndex: homes}).with(indexers)
	if err != nil {
		return nil, err
	}
	t.indexers.Store(set)
	t.ready = len(set.funcs)
	t.adopt(newContents(len(set.funcs), 0))
	return &cache{table: t, keyFunc: DeletionHandlingMetaNamespaceKeyFunc}, nil
}

// placed returns the object under a key and its home.
func (t *table) placed(key string) (obj any, home string, ok bool) {
	t.mu.rlock()
	defer t.mu.RUnlock()
	e := t.keys.find(key)
	if e == nil {
		return nil, "", false
	}
	return e.obj.read().object(), e.filed[0].posting.value, true
}

func (t *table) homeOf(key string) (string, bool) {
	_, home, ok := t.placed(key)
	return home, ok
}

// inhabitants is how many objects have a home.
func (t *table) inhabitants(home string) int {
	v, err := t.byIndex(PartitionIndex, home)
	if err != nil {
		return 0
	}
	defer v.release()
	return v.n
}
