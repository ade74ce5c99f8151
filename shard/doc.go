// Package shard divides the objects of one kind into shards: parts of a cluster, tenants, or clusters. Each shard is
// listed, watched, decoded and delivered separately, and all of them together are one informer.
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
//   - [TypedShardingInformer] is a [cache.TypedSharedIndexInformer] and can be used wherever one can. Its store has the objects of all
//     shards; View returns those of one. [ShardingInformer] is the same for objects of any type.
//   - [Shard] is a part of the objects: an ID, a [Scope], a Weight and [Limits]. The scope determines which objects are
//     in the shard: namespaces, a label selector, a field selector, ranges of a hash ([HashKey]), a tenant, and a
//     cluster.
//   - [Source] supplies the shards. [Namespaces], [FollowNamespaces], [LabelValues], [Hash], [Tenants], [Clusters] and
//     [Shards] return the usual ones. SetShards, AddShard, RemoveShard, Split, Merge, Rebalance and Resize change the
//     shards while the informer is running.
//   - [Handler] is called with each change and the shard that it happened in. [Key] is the key of an object in one of several clusters.
//
// # Order
//
//   - The changes of one key reach a handler in the order in which the server made them, also when the key moves from one shard to
//     another, and when the object is deleted and created again in another shard.
//   - A Handler is called for several shards at the same time, and never twice at the same time for one shard. A handler that was added
//     with AddEventHandler is called by one goroutine at a time.
//   - An object is in one shard at a time. A move is atomic for readers. The objects that one list adds to a shard
//     become visible as a whole. Different shards may be at different resource versions.
//   - When a shard is removed, OnShardLost is called with the keys that no other shard has. OnDelete is not called for them.
//
// # Backpressure
//
//   - Shards do not block each other. A shard whose handler is stuck, whose server does not answer, or which changes
//     faster than its limit allows does not delay the others.
//   - Pending changes of a shard are coalesced by key: the newest state of each key is kept, encoded. So are
//     notifications for a handler that is far behind.
//   - A watch that several shards share never waits for one of them.
//
// # Requests
//
//   - Each namespace is listed and watched separately, and so is each shard by selector. Shards by values of one label
//     share a watch of all values, so that a change of the label is a single event.
//   - Shards by hash of UID or namespace have a watch each if the server selects by hash (KEP-5866). The informer
//     detects that by probing, since the server does not advertise it, and checks it for as long as the watch lasts.
//     Otherwise one watch serves all shards, and objects of no shard are dropped without decoding.
//   - When shards are split, merged, renamed or rebalanced, new watches resume at the resource versions that the old
//     ones reached. Nothing is listed, and handlers of all shards are not called. Only an added shard is listed.
//
// # Caveats
//
//   - A transform must keep what scopes use: labels and owner references. UID, namespace and name are remembered.
//   - Shards by different kinds of selectors must exclude each other: "app=web,!canary" and "app=web,canary", for
//     example. When an object leaves one of them, OnDelete is called once it is certain that the object has not moved
//     to another, which may take a moment.
//   - A Tenancy function and the function of [ByFunc] are called under a lock of the informer, and must not call it.
package shard
