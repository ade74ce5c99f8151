package shard

import (
	"fmt"
	"strings"

	"vedette.dev/cache"
	"vedette.dev/internal/hashspace"
)

// Range is a part of the space of 64-bit hashes: from Start to before End, where an End of 0 means the end of the
// space. So the zero Range is the whole space.
type Range = hashspace.Range

// EqualRanges divides the space of hashes into n parts of the same size. It returns nil if n is less than 1 or more than 65536.
func EqualRanges(n int) []Range { return hashspace.Equal(n) }

// HashKey is what objects are hashed by. The zero value means no hash.
type HashKey struct {
	name string
	of   func(e *Envelope) string
	// path is the name of the key in shard selectors, if servers support it.
	path string
	// settled means that the key of an object never changes, byName that it follows from its namespace and name.
	settled, byName bool
}

// String returns the name of the key.
func (k HashKey) String() string { return k.name }

// HashOfName returns the hash of an object with that namespace and name. It returns false if the hash does not follow from
// these, as with [ByUID].
func (k HashKey) HashOfName(namespace, name string) (uint64, bool) {
	if !k.byName {
		return 0, false
	}
	return k.hash(&Envelope{Namespace: namespace, Name: name}), true
}

// hash returns the value to compare with ranges. Keys that a server supports are hashed as it does; for the others the
// hash is mixed once more, since keys that differ only in their last letters would be in one range otherwise.
func (k HashKey) hash(e *Envelope) uint64 {
	if k.path != "" {
		return hashspace.FNV(k.of(e))
	}
	return hashspace.Mixed(k.of(e))
}

// ByUID hashes objects by their UID. It balances best, but objects of one namespace, and those that belong together,
// are in different shards.
func ByUID() HashKey {
	return HashKey{name: "uid", path: "object.metadata.uid", settled: true,
		of: func(e *Envelope) string { return string(e.UID) }}
}

// ByNamespace hashes objects by their namespace, so that all kinds of one namespace are in the same shard. Its hash is the one that
// servers select by, which is about the same for namespaces with similar names: ranges should be chosen by the number of objects, see
// Rebalance, or [ByNamespaceMixed] be taken.
func ByNamespace() HashKey {
	return HashKey{name: "namespace", path: "object.metadata.namespace", settled: true, byName: true,
		of: func(e *Envelope) string { return e.Namespace }}
}

// ByNamespaceMixed hashes objects by their namespace, as [ByNamespace] does, by a hash that also spreads namespaces whose names differ
// only in their last letters. Servers cannot select by it.
func ByNamespaceMixed() HashKey {
	return HashKey{name: "namespace, mixed", settled: true, byName: true,
		of: func(e *Envelope) string { return e.Namespace }}
}

// ByName hashes objects by namespace and name. Servers cannot select by it.
func ByName() HashKey {
	return HashKey{name: "namespace/name", settled: true, byName: true,
		of: func(e *Envelope) string { return e.Namespace + "/" + e.Name }}
}

// ByOwner hashes objects by the UID of their controlling owner, or by their own if they have none, so that an owner and
// what it controls are in the same shard. Servers cannot select by it.
func ByOwner() HashKey {
	return HashKey{name: "owner", of: func(e *Envelope) string {
		if owner := e.Controller(); owner != nil {
			return string(owner.UID)
		}
		return string(e.UID)
	}}
}

// ByFunc hashes objects by the result of a function. Servers cannot select by it. The name identifies the function: two
// keys of one name are assumed to be the same.
func ByFunc(name string, of func(e *Envelope) string) HashKey {
	return HashKey{name: name, of: of}
}

// Key is the key of an object that may be in one of several clusters. As text it is cluster|namespace/name, which is
// the key in the store; without a cluster it is the usual key.
type Key struct {
	Cluster string
	cache.ObjectName
}

// String returns the key in the store.
func (k Key) String() string {
	if k.Cluster == "" {
		return k.ObjectName.String()
	}
	return prefixOf(k.Cluster) + k.ObjectName.String()
}

// ParseKey parses the result of String. What is before a | is the cluster: the result is wrong for an object without a
// cluster whose name contains a |.
func ParseKey(text string) (Key, error) {
	var k Key
	rest := text
	if cluster, after, ok := strings.Cut(text, "|"); ok {
		k.Cluster, rest = cluster, after
	}
	namespace, name, err := cache.SplitMetaNamespaceKey(rest)
	if err != nil || name == "" {
		return Key{}, fmt.Errorf("invalid key %q: want cluster|namespace/name, namespace/name, or a name", text)
	}
	k.ObjectName = cache.ObjectName{Namespace: namespace, Name: name}
	return k, nil
}

// prefixOf returns the prefix of the keys of a cluster.
func prefixOf(cluster string) string {
	if cluster == "" {
		return ""
	}
	return cluster + "|"
}
