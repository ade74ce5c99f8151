package ownwrites

import (
	"slices"
	"strings"
	"sync/atomic"

	"vedette.dev/cache"
)

// ident is the key of an entry: the name of an object, and the name of its cluster if an informer has several.
type ident struct {
	cluster string
	cache.ObjectName
}

// String returns the key in the store, as in shard.Key.
func (i ident) String() string {
	if i.cluster == "" {
		return i.ObjectName.String()
	}
	return i.cluster + "|" + i.ObjectName.String()
}

// clusters is the set of clusters with own writes. The empty one, without a name, is always included.
type clusters struct {
	known atomic.Pointer[[]string]
}

var noCluster = []string{""}

func (c *clusters) all() []string {
	if known := c.known.Load(); known != nil {
		return *known
	}
	return noCluster
}

// several reports whether keys may begin with the name of a cluster.
func (c *clusters) several() bool { return c.known.Load() != nil }

func (c *clusters) add(cluster string) {
	for {
		old := c.known.Load()
		if slices.Contains(c.all(), cluster) {
			return
		}
		next := append(slices.Clone(c.all()), cluster)
		if c.known.CompareAndSwap(old, &next) {
			return
		}
	}
}

// parse parses a key of the store. What is before a | is a cluster only if something was written there: names may
// contain a |.
func (c *clusters) parse(key string) (ident, error) {
	if c.several() {
		if cluster, rest, ok := strings.Cut(key, "|"); ok && slices.Contains(c.all(), cluster) {
			name, err := cache.ParseObjectName(rest)
			return ident{cluster, name}, err
		}
	}
	name, err := cache.ParseObjectName(key)
	return ident{"", name}, err
}
