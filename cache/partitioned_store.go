package cache

import (
	"fmt"
	"sync"

	"vedette.dev/internal/table"
)

// PartitionIndex is the index by which the store of a PartitionedInformer finds the objects of a partition. Its values are
// set by the informer, and are not a function of the object.
const PartitionIndex = "partition"

// newPartitionedCache returns a store in which each object has one owning partition: its one value in PartitionIndex. The
// informer writes it with table.Commit, under mu, and AddIndexers locks mu when it adds an index.
func newPartitionedCache(indexers Indexers, mu *sync.Mutex) (*cache, error) {
	if _, taken := indexers[PartitionIndex]; taken {
		return nil, fmt.Errorf("cache: SharedIndexInformerOptions.Indexers has %q, which the informer fills itself", PartitionIndex)
	}
	c := &cache{keyFunc: DeletionHandlingMetaNamespaceKeyFunc}
	config := tableConfig(indexers)
	config.OwnerIndex = &table.Index{Name: PartitionIndex, Func: c.ownersOf}
	config.IndexMu = mu
	c.table = table.New(config)
	return c, nil
}

// ownersOf is the function of PartitionIndex: it returns the partition that owns the key of an object.
func (c *cache) ownersOf(obj any) ([]string, error) {
	key, err := c.keyFunc(obj)
	if err != nil {
		return nil, KeyError{obj, err}
	}
	if owner, ok := c.table.Owner(key); ok {
		return []string{owner}, nil
	}
	return nil, nil
}
