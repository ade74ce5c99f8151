// Package cache keeps an indexed copy of a server's objects, and notifies handlers of changes.
//
// # The types
//
//	SharedIndexInformer      store, reflector and handlers      NewSharedIndexInformerWithOptions
//	TypedSharedIndexInformer[T]  the same without assertions    NewTypedSharedIndexInformer
//	NamespacedInformer       for a set that may change          NewNamespacedInformer
//	ResourceEventHandler     is called for changes              ResourceEventHandlerFuncs, Typed…
//	State, HandlerState      what an informer is doing          StateOf
//	Controller               an informer with one handler       NewInformer; New, of parts of your own
//	Reflector                list and watch, into a store       NewReflectorWithOptions
//	ListWatch                where objects come from            NewListWatchFromClient, …FromRequester
//	Store, Indexer           objects by key, and by index       NewStore, NewIndexer
//	ThreadSafeStore          the same, with explicit keys       NewThreadSafeStore
//	TypedIndexer[T]          an Indexer without assertions      NewTypedIndexer
//	TypedLister[T]           reads by namespace and selector    NewTypedLister
//	TransactionStore         several writes in one step         every Store and Indexer made here
//	DeltaFIFO                what happened, by object           NewDeltaFIFOWithOptions
//	RealFIFO                 what happened, in order            NewRealFIFOWithOptions
//	FIFO, Heap               the newest state, by age or rank   NewFIFO, NewHeap
//	ExpirationCache          a Store that forgets               NewTTLStore
//	UndeltaStore             a Store that calls back            NewUndeltaStore
//	MutationCache            reads of one's own writes          NewIntegerResourceVersionMutationCache
//	MutationDetector         detects writes to shared objects   NewMutationDetector
//
// Behind every [Store], [Indexer] and [ThreadSafeStore] is one implementation, package internal/table.
//
// # Guarantees
//
//   - Objects of a store are shared and must not be modified, unless they are packed: then each reader has its own
//     copy. The slice of a list belongs to the caller.
//   - Every write is atomic, a Replace and a Transaction too: readers see nothing of it or all, in Get, List and every
//     index alike. List returns a consistent snapshot.
//   - Index values are computed when an object is stored. Mutating a stored object is a bug in the caller; it does not
//     corrupt the index.
//   - LastStoreSyncResourceVersion is the version of the last write, and changes atomically with it.
//   - A [DeltaFIFO] returns keys in the order in which they first changed, each with all its changes in order. Nothing is
//     coalesced but two successive deletions. A [RealFIFO] coalesces nothing.
//
// # Blocking
//
//   - Get takes no lock. List, ByIndex and listers hold a read lock only to take a view of the rows, and copy them
//     without it; a concurrent writer copies the few rows that it changes. So readers of long lists do not block
//     writers, nor writers them. The number of long lists copied concurrently is limited to the number of processors.
//   - Handlers, transforms, index functions, mutation detectors, watch error handlers and the metrics of an informer are
//     called without a lock of the informer, its store or its queue, and may use them. An index function must not call
//     AddIndexers. Key functions run without a lock of the store. Replace builds the new contents aside.
//   - Pop of a DeltaFIFO and of a [FIFO] calls its function under the lock of the queue: no write succeeds until it
//     returns, and it must not call the queue. With MaxPending, writers block while the queue is full; nothing is
//     dropped.
//   - An informer has one goroutine that writes to its store, one or a few for its reflector, and one for each handler; a
//     reflector alone has the latter, a running [MutationDetector] its own. They end before Run returns. Stores and queues
//     start none.
//   - Handlers do not block each other, and nothing blocks on a handler: see [SharedInformer], and
//     HandlerOptions.MaxWaiting.
//
// # Invalid input
//
// An object without a key is a [KeyError] and changes nothing. An index function that fails or panics is an [IndexError]
// with the key and the name of the index: the object is stored, and missing in that index only; ThreadSafeStore, which
// cannot return errors, panics with it after the write. Duplicate values of an index function count once. If two
// objects in a list have the same key, the later is kept. A list with an object that has no key or cannot be
// transformed is rejected as a whole. A typed view returns an error for an object of another type.
package cache
