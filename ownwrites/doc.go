// Package ownwrites lets a program that writes through the API and reads from an informer see its own writes.
//
// An informer hears of a write some time after the server has answered it. A controller that reads its cache in between finds
// nothing where it has just created something, creates it again, or decides on what was true before its own update. And when
// the event comes at last, it looks again at what it has just done.
//
// # The types
//
//	Tracker        what was written, for one informer      New
//	Config         how; the zero value works
//	Indexer        the store with own writes on top        Tracker.Indexer: for any lister
//	TypedClient    a client that records its writes        Client
//	               and a dynamic one                       Dynamic; Tracker.InCluster for one of several clusters
//	Deletion       what else to record by hand             Tracker.Created, Updated, Wrote, Deleted
//	Handler        hears of what others did                Tracker.Handler, TypedHandler; OwnAdd, OwnUpdate, OwnDelete
//	Stats          what waits, and since when              Tracker.Stats
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
// # How
//
// What the server answers is kept beside the store, one entry for each name, until the store has caught up: until it has the object in
// that version or a later one, or is known to hold every change of that object up to that version. A read shows the newer of the two.
// The store itself is never written.
//
// How far the store is with an object depends on the informer. A shared informer has one watch, and its store has a version. A
// cache.NamespacedInformer has a version for each namespace. A shard.ShardingInformer has several streams in one namespace, and
// shards that fall behind others because of their limits: it is asked for each object (StoreVersionOf).
//
// A deletion is remembered by UID: it hides that object, and not another one that gets its name. The server's answer does not
// tell the version of a deletion. But once the store is at any version that the object has had, and does not have it, it knows
// of the deletion. If no version of the object is known, because it was never seen, the client asks the server for a version from
// after the deletion. If the server does not answer, it is asked again, at first after Config.Sweep and then less often, until it does
// or until an event has told of the object.
//
// An event is an own one if own writes alone lead from the old state to the new. That is known for creations, for updates that
// sent a resource version, and for deletions. It is not known for a patch without a version: if it changed nothing, the answer is
// the work of others. Config.LockPatches changes that. In doubt an event is one of others: to look once too often does no harm.
//
// # What always holds
//
//   - A read that begins after a write was recorded never shows that name as it was before: not in Get, List, ByIndex or any other
//     method of Indexer. It never shows an object twice.
//   - A handler behind Handler misses nothing that others did, also if its events were merged.
//   - When the store has caught up with the last own write, by an event, a list or a bookmark, the overlay is empty after at most
//     Config.Sweep. A read then costs one atomic load more than one from the store.
//   - What a client returns is the caller's to change. What a read shows is shared, as ever.
//
// # Who waits for whom
//
//   - Reads wait for nobody, and take no lock but that of the store. Two writes are recorded at once, unless
//     their names are among the one in 256 that share a lock. Index, scope and transform functions are called without a lock.
//   - A handler that asks about an event of an object to which a write is under way waits for the answer, up to Config.AnswerTimeout.
//   - A tracker has one handler at its informer, and a timer while something waits. They are gone when Close returns.
//
// # Caveats
//
//   - Versions are compared as numbers, and only those of one resource: a tracker is for one informer of one resource. Where
//     versions are not numbers, nothing is recorded, Stats counts it, and reads show what the store has. Own events are
//     recognised even then.
//   - If the watch is stuck, entries stay: one for each name that was written. Stats tells how many, and since when. A ByIndex looks
//     at all of them.
//   - Give New a cache.NamespacedInformer or a sharding informer itself, and not a typed view of it: the view cannot be asked how far the
//     store is. Of stores of which that is not known, an entry leaves with an event of its object or, if none comes, after ten
//     minutes.
//   - An informer with a selector, or with shards that leave out some objects, needs Config.Scope, and one with a transform
//     Config.Transform. A shard that is full (shard.Limits) leaves out own writes as well: they are shown until its stream has
//     brought them.
//   - Where shards are in clusters of their own, each client needs the tracker of its cluster: see Tracker.InCluster.
//   - DeleteCollection, and subresources with a type of their own, are not recorded; nor is a write whose answer was lost.
//   - After an update whose event is not told, nobody calls the reconciler: it must have finished its work, or ask to be called
//     again. That an object begins to be deleted is always told, whoever began it.
//   - Workers that write to one name at the same time see their own writes, too, with one exception: one deletes an object that
//     nobody here has seen yet while another's creation of the same name is under way.
package ownwrites
