package cache

import (
	"maps"
	"slices"

	"vedette.dev/internal/table"
)

// tableConfig returns the configuration of a table with these indexes. Index functions see objects decoded, unless they
// read metadata only.
func tableConfig(indexers Indexers) table.Config {
	return table.Config{
		Indexes: indexesOf(indexers),
		Decode:  shownOf,
		IndexError: func(key, index string, err error) error {
			return IndexError{Key: key, Index: index, Err: err}
		},
	}
}

// indexesOf returns the indexes of a table for index functions, sorted by name.
func indexesOf(indexers Indexers) []table.Index {
	out := make([]table.Index, 0, len(indexers))
	for _, name := range slices.Sorted(maps.Keys(indexers)) {
		f := indexers[name]
		out = append(out, table.Index{Name: name, Func: table.IndexFunc(f), Undecoded: f.isByMeta()})
	}
	return out
}

// indexersOf returns the index functions of a table.
func indexersOf(t *table.Table) Indexers {
	set := t.Indexes()
	out := make(Indexers, set.Len())
	for x := range set.All() {
		out[x.Name] = IndexFunc(x.Func)
	}
	return out
}

// stepsOf returns the writes of a transaction for a table.
func stepsOf(txns []ThreadSafeStoreTransaction) []table.Step {
	steps := make([]table.Step, 0, len(txns))
	for _, txn := range txns {
		steps = txn.appendStep(steps, txn.Key)
	}
	return steps
}

// appendStep appends the write of a transaction on a key. A transaction of an unknown type does nothing.
func (t Transaction) appendStep(steps []table.Step, key string) []table.Step {
	switch t.Type {
	case TransactionTypeAdd, TransactionTypeUpdate:
		return append(steps, table.Step{Op: table.Put, Key: key, Object: t.Object})
	case TransactionTypeDelete:
		return append(steps, table.Step{Op: table.Delete, Key: key})
	}
	return steps
}

// versionAt returns the version that a write of an object sets: its own, if it has metadata.
func versionAt(obj any) table.Version {
	if version, ok := versionOf(obj); ok {
		return table.At(version)
	}
	return table.Version{}
}
