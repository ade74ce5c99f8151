// Package shard spreads the objects of one kind over shards: parts of a cluster, tenants, or clusters. Each shard has an informer
// of its own, and all of them together are one.
//
//	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.Pod]{
//		Resource: corev1.SchemeGroupVersion.WithResource("pods"),
//		REST:     config,
//		Source:   shard.Hash(shard.ByNamespace(), 8),
//	})
//	...
//	informer.AddShardHandler(shard.HandlerFuncs[*corev1.Pod]{...}, shard.HandlerOptions{})
//	informer.RunWithContext(ctx)
//
// # Types
//
//   - TypedShardingInformer is a cache.TypedSharedIndexInformer: what takes one takes it, too. Its store has the objects of all
//     shards; View shows those of one. ShardingInformer is the same for objects of any type.
//   - Shard is a part: an ID, a Scope, a Weight and Limits. Scope is which objects are in it: namespaces, a label selector, a
//     field selector, ranges of a hash (HashKey), a tenant, and in which cluster.
//   - Source says which shards there are. Namespaces, FollowNamespaces, LabelValues, Hash, Tenants, Clusters and Shards make the
//     usual ones. SetShards, AddShard, RemoveShard, Split, Merge, Rebalance and Resize change them while the informer runs.
//   - Handler hears of changes with the shard that they happen in. Key is the key of an object in one of several clusters.
//
// # Order
//
//   - The changes of one key reach a handler in the order in which the server made them, also when the key moves from one shard to
//     another, and when it is deleted and comes again in another.
//   - A Handler is called for several shards at the same time, and never twice at the same time for one shard. One that knows nothing
//     of shards is called by one goroutine at a time.
//   - An object is in one shard at a time. Readers see a move as one step. The objects of a shard are consistent: what one list
//     brings is seen as a whole. Those of different shards may be of different times.
//   - A shard that was removed is told of by OnShardLost, with the keys that nobody looks at any more, and never by OnDelete.
//
// # Who waits for whom
//
//   - Shards list, decode and deliver by themselves. One whose handler is stuck, whose server does not answer, or which changes
//     faster than its limit lets pass, does not keep the others waiting.
//   - What waits for a shard is kept by key, the newest state of each, as the server sent it. So are the notices for a handler
//     that is far behind.
//   - Where shards share a watch, nobody waits for one of them: its objects are decoded when it gets to them.
//
// # What goes over the wire
//
//   - Namespaces are listed and watched one by one, and so are shards with selectors of different sorts. Shards by values of one
//     label share a watch of all values, so that an object whose label changes is seen to change.
//   - Shards by hash of UID or namespace have a watch each, if the server selects by hash (KEP-5866). Whether it does is found
//     out by asking, for it does not say, and it is looked after for as long as it lasts. If it does not, there is one watch for
//     all, and what belongs to no shard is dropped when its name is read, without being decoded.
//   - When shards are split, merged or balanced, watches go on from the versions where others stopped. Nothing is listed and nothing
//     is told that has not changed. A shard that is added is listed, and nothing else.
//
// # Caveats
//
//   - A transform must keep what scopes look at: labels and owner references. UID, namespace and name are remembered.
//   - Shards by selectors of different sorts must exclude each other: "app=web,!canary" and "app=web,canary", for example. An object that
//     leaves one is told as deleted when it is certain that it has not just gone to another, which may take a moment.
//   - While changes wait, those of a key are merged. A handler hears of the newest state, and of a deletion and a creation under one
//     name as just that.
package shard
