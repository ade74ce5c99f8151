// Package cache keeps an indexed copy of what a server has, and tells handlers what changed.
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
//	ThreadSafeStore          the same, told the keys            NewThreadSafeStore
//	TypedIndexer[T]          an Indexer without assertions      NewTypedIndexer
//	TypedLister[T]           reads by namespace and selector    NewTypedLister
//	TransactionStore         several writes in one step         every Store and Indexer made here
//	DeltaFIFO                what happened, by object           NewDeltaFIFOWithOptions
//	RealFIFO                 what happened, in order            NewRealFIFOWithOptions
//	FIFO, Heap               the newest state, by age or rank   NewFIFO, NewHeap
//	ExpirationCache          a Store that forgets               NewTTLStore
//	UndeltaStore             a Store that calls back            NewUndeltaStore
//	MutationCache            reads of one's own writes          NewIntegerResourceVersionMutationCache
//	MutationDetector         who changes shared objects?        NewMutationDetector
//
// Behind every Store, Indexer and ThreadSafeStore is one implementation, package internal/table.
//
// # What always holds
//
//   - What a store hands out is shared and must not be changed, unless its objects are packed: then each reader has its
//     own. The slice of a list belongs to the caller.
//   - Every write is one step, a Replace and a Transaction too: readers see nothing of it or all, in Get, List and every
//     index alike. What List returned is the store as it was at one moment.
//   - Index values are computed when an object is stored. Mutating a stored object is a bug in the caller; it does not
//     corrupt the index.
//   - LastStoreSyncResourceVersion is that of the last write, and changes in the same step.
//   - A DeltaFIFO hands out keys in the order in which they first changed, each with all its changes in their order.
//     Nothing is merged but a deletion that follows a deletion. A RealFIFO merges nothing.
//
// # Who waits for whom
//
//   - Get takes no lock. List, ByIndex and listers take a read lock only to take a view of the rows, and copy them without
//     it; a writer that comes meanwhile copies the few rows that it changes. So readers of long lists do not hold up
//     writers, nor writers them. At most as many long lists are copied at once as there are processors.
//   - Handlers, transforms, index functions, mutation detectors, watch error handlers and the metrics of an informer are
//     called without a lock of the informer, its store or its queue, and may use them. An index function must not call
//     AddIndexers. Key functions run without a lock of the store. Replace builds the new contents aside.
//   - Pop of a DeltaFIFO and of a FIFO runs its function under the lock of the queue: no write succeeds until it returns,
//     and it must not call the queue. With MaxPending, writers wait while the queue is full, and never drop anything.
//   - An informer has one goroutine that writes to its store, one or a few for its reflector, and one for each handler; a
//     reflector alone has the latter, a running MutationDetector its own. They end before Run returns. Stores and queues
//     start none.
//   - Handlers do not wait for each other, and nothing waits for a handler: see SharedInformer, and HandlerOptions.MaxWaiting.
//
// # Answers to bad input
//
// An object without a key is a KeyError and changes nothing. An index function that fails or panics is an IndexError
// that names key and index: the object is stored, and absent from that index alone; ThreadSafeStore, which cannot return
// errors, panics with it when all is in place. Values that a function returns twice count once. Of two objects with one
// key in a list the later stays. A list in which an object has no key or cannot be transformed is refused as a whole. An
// object of another type than T is an error where a typed view reads it.
package cache
