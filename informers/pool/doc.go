// Package pool shares informers: one for each key, with reference counts. The informer factories are based on it.
//
// A [Pool] holds the informers that were requested from it. A lease is a pool, too: it shares its informers with the
// pool it was taken from, and with all other leases.
//
//	pods := pool.Get(key, newPods)   // created by the first request, shared by later ones
//	pool.StartWithContext(ctx)
//	...
//	lease := pool.Lease()            // for a part of a program that may stop earlier
//	lease.Get(key, newPods)          // the informer that is already running
//	lease.Release(ctx)               // it keeps running, because the pool still holds it
//	pool.Drop(ctx, key)              // it stops, and is removed
//
// # Guarantees
//
//   - At most one informer for a key is held. One that was released may still be ending while the next one starts.
//   - An informer that was started by any pool runs until the last pool that holds it has released it. A pool releases
//     what it started when the context ends with which it did, and what it names in Drop and Release.
//   - When Drop and Release return nil, nothing of what they stopped is running: no goroutine, no handler, no request.
//     A later Get creates a new informer, with an empty store.
//   - An informer that stopped because a context ended stays in the pools that requested it until it is dropped: it can
//     be read, and does not run again.
//
// # Blocking
//
//   - Get, StartWithContext and State do not wait for informers. The function given to Get is called under the lock of
//     the pool, and must not call it.
//   - Drop, Release and Shutdown wait for handlers to return. From within a handler, call Drop or Release with a
//     context that has ended: they release at once, do not wait, and return the context's error.
package pool
