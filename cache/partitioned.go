package cache

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
)

// PartitionedInformer is a SharedIndexInformer whose objects are divided among partitions, and come from any number of streams.
// Package shard is made of it, and says what the partitions and streams are; most programs use that.
//
// The keys of its store begin with the prefix of the stream that the object came from, and its store has PartitionIndex.
type PartitionedInformer struct{ *informer }

// Router returns the ID of the partition that an object is for, empty if it is for none. The prefix is that of the stream it comes
// from. A router must be quick, and must always return the same for the same envelope. It is called under a lock, and must not call
// the informer.
type Router func(prefix string, e *Envelope) (partition string)

// NewPartitionedInformer returns an informer without partitions. It panics if the options are invalid.
func NewPartitionedInformer(exampleObject runtime.Object, options SharedIndexInformerOptions) *PartitionedInformer {
	if _, taken := options.Indexers[PartitionIndex]; taken {
		panic(fmt.Errorf("cache: SharedIndexInformerOptions.Indexers has %q, which the informer fills itself", PartitionIndex))
	}
	s := newInformer(exampleObject, options)
	s.indexer = newInformerCache(options, &s.applyMu, true)
	s.routes.Store(&routes{router: func(string, *Envelope) string { return "" }, partitions: map[string]*partition{}})
	return &PartitionedInformer{s}
}

// PartitionOf returns the partition that has the object under a key.
func (s *informer) PartitionOf(key string) (partition string, ok bool) {
	return s.indexer.table.Owner(key)
}

// PartitionConfig is a partition. Its limits are none where they are zero.
type PartitionConfig struct {
	ID string
	// MaxObjects is how many objects the partition may have, and MaxBytes how large they may be in all, as the server sent
	// them. What is too much is left out, which the state of the partition says, until there is room again.
	MaxObjects int
	MaxBytes   int64
	// MaxEventRate is how many changes a second are applied. Those that wait are coalesced by key.
	MaxEventRate float64
}

func (c *PartitionConfig) validate() error {
	switch {
	case c.ID == "":
		return errors.New("cache: PartitionConfig.ID is empty")
	case c.MaxObjects < 0:
		return fmt.Errorf("cache: PartitionConfig.MaxObjects of %q is %d, want 0 or more", c.ID, c.MaxObjects)
	case c.MaxBytes < 0:
		return fmt.Errorf("cache: PartitionConfig.MaxBytes of %q is %d, want 0 or more", c.ID, c.MaxBytes)
	case c.MaxEventRate < 0 || c.MaxEventRate != c.MaxEventRate:
		return fmt.Errorf("cache: PartitionConfig.MaxEventRate of %q is %v, want 0 or more", c.ID, c.MaxEventRate)
	}
	return nil
}
