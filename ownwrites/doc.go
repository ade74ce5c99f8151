// Package ownwrites lets a program that writes through the API and reads from an informer see its own writes.
//
// An informer receives the event of a write some time after the server has answered it. A controller that reads its
// cache in between does not find what it has just created and creates it again, or decides on the state before its own
// update. And when the event arrives, it reconciles what it has just done.
//
// # The types
//
//	Tracker        the own writes, for one informer        New
//	Config         options; the zero value works
//	Indexer        the store with own writes on top        Tracker.Indexer: for any lister
//	TypedClient    a client that records its writes        Client
//	               and a dynamic one                       Dynamic; Tracker.InCluster for one of several clusters
//	Deletion       for recording by hand                   Tracker.Created, Updated, Wrote, Deleted
//	Handler        receives only foreign events            Tracker.Handler, TypedHandler; OwnAdd, OwnUpdate, OwnDelete
//	Stats          pending entries, and since when         Tracker.Stats
//
// They fit together like this:
//
//	informer := factory.Core().V1().Pods().Informer()
//	tracker, err := ownwrites.New(informer, ownwrites.Config{})
//	defer tracker.Close()
//	lister := listers.NewPodLister(tracker.Indexer())
//	pods := ownwrites.Client(clientset.CoreV1().Pods("default"), tracker)
//	informer.AddEventHandler(tracker.Handler(enqueue))
//
//	pod, err := pods.Create(ctx, pod, metav1.CreateOptions{})
//	pod, err = lister.Pods("default").Get(pod.Name) // there it is
//
// # How it works
//
// The server's answer to a write is kept in an overlay, one entry for each name, until the store has caught up: until
// it has the object in that version or a later one, or is known to hold every change of that object up to that version.
// A read returns the newer of the two. The store itself is never written.
//
// How far the store is depends on the informer. A shared informer has one watch, and its store has a resource version.
// A cache.NamespacedInformer has a version for each namespace. A shard.ShardingInformer has several streams in one
// namespace, and shards that lag because of their limits: it is asked for each object (StoreVersionOf).
//
// A deletion is remembered by UID: it hides that object, and not a later one of the same name. The server's answer does
// not contain the version of a deletion. But a store at any version that the object has had, without the object, knows
// of the deletion. If no version of the object is known, because it was never seen, the client asks the server for a
// version from after the deletion. If the server does not answer, it is asked again with a growing interval, starting
// at Config.Sweep, until it does or until an event of the object arrives.
//
// An event is own if own writes alone lead from the old state to the new. That is known for creations, for updates with
// a resource version, and for deletions. It is not known for a patch without a version: if it changed nothing, the
// answer is the result of a foreign write. Config.LockPatches changes that. In doubt an event is foreign: an extra
// reconcile does no harm.
//
// # Guarantees
//
//   - A read that begins after a write was recorded never returns an older state of that name: not in Get, List,
//     ByIndex or any other method of Indexer. It never returns an object twice.
//   - A handler wrapped by Handler misses no foreign change, even if events were coalesced.
//   - When the store has caught up with the last own write, by an event, a list or a bookmark, the overlay is empty
//     after at most Config.Sweep. A read then costs one atomic load more than a read from the store.
//   - Objects returned by a client belong to the caller. Objects returned by a read are shared and must not be
//     modified.
//
// # Blocking
//
//   - Reads take no lock but that of the store. Two writes are recorded concurrently, unless their names are among the
//     one in 256 that share a lock. Index, scope and transform functions are called without a lock.
//   - A handler that receives an event of an object with a write in flight waits for the answer, up to
//     Config.AnswerTimeout.
//   - A tracker has one handler at its informer, and a timer while there are entries. Both are gone when Close returns.
//
// # Caveats
//
//   - Versions are compared as numbers, and only within one resource: a tracker is for one informer of one resource. If
//     versions are not numbers, nothing is recorded, Stats counts it, and reads show what the store has. Own events are
//     still recognised.
//   - If the watch is stuck, entries are kept: one for each name that was written. Stats has their number and the age
//     of the oldest. ByIndex scans all of them.
//   - Give [New] the cache.NamespacedInformer or sharding informer itself, and not a typed view of it: the view does not
//     know how far the store is. If that is unknown, an entry is removed by an event of its object or after ten
//     minutes.
//   - An informer with a selector, or with shards that exclude some objects, needs Config.Scope, and one with a
//     transform Config.Transform. A shard that is full (shard.Limits) drops own writes as well: they are shown until
//     its stream has reached them.
//   - If shards are in different clusters, each client needs the tracker of its cluster: see [Tracker.InCluster].
//   - DeleteCollection, and subresources with a type of their own, are not recorded; nor is a write whose answer was lost.
//   - No reconcile follows an update whose event is filtered as own: the reconciler must have finished its work, or
//     requeue. The event that sets a deletion timestamp is always delivered.
//   - Workers that write the same name concurrently see their own writes, too, with one exception: one deletes an
//     object that this process has not seen yet while another one's creation of the same name is in flight.
package ownwrites
