package cache

import (
	"sync"

	"vedette.dev/internal/table"
)

// PartitionIndex is the index by which the store of a PartitionedInformer finds the objects of a partition. Its values are
// set by the informer, and are not a function of the object.
const PartitionIndex = "partition"

// newInformerCache returns the store of an informer, which writes it with table.Commit, under mu; AddIndexers locks mu when it
// adds an index. If it is divided, each object has one owning partition: its one value in PartitionIndex.
func newInformerCache(options SharedIndexInformerOptions, mu *sync.Mutex, divided bool) *cache {
	c := &cache{keyFunc: DeletionHandlingMetaNamespaceKeyFunc, open: options.opener()}
	config := tableConfig(options.Indexers)
	config.IndexMu = mu
	if divided {
		config.OwnerIndex = &table.Index{Name: PartitionIndex, Func: c.ownersOf}
	} else {
		config.OnVersion = onVersion(versionMetric(options.Identifier, options.InformerMetricsProvider))
	}
	c.table = table.New(config)
	return c
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
