// Package pool shares informers: one for each key, counted, started and stopped. The informer factories are made of it.
//
// A [Pool] holds the informers that were asked of it. A lease is a pool, too: it shares its informers with the pool it was
// taken from, and with all other leases.
//
//	pods := pool.Get(key, newPods)   // made by the first who asks, the same for all others
//	pool.StartWithContext(ctx)
//	...
//	lease := pool.Lease()            // for one who comes and goes
//	lease.Get(key, newPods)          // the informer that runs already
//	lease.Release(ctx)               // it runs on, for the pool still holds it
//	pool.Drop(ctx, key)              // it stops, and is forgotten
//
// # What always holds
//
//   - Of the informers for a key, at most one is held. One that was let go may still be ending while the next begins.
//   - An informer that was started, by whomever, runs until the last pool that holds it has let it go. A pool lets go of
//     what it started when the context ends with which it did, and of what it names in Drop and Release.
//   - When Drop and Release return nil, nothing of what stopped with it runs any more: no goroutine, no handler, no request.
//     A later Get makes a new informer, with an empty store.
//   - An informer that stopped because a context ended stays where it was asked for until it is dropped: it can be read, and
//     does not run again.
//
// # Who waits for whom
//
//   - Get, StartWithContext and State do not wait for informers. The function given to Get runs under the lock of the pool,
//     and must not call it.
//   - Drop, Release and Shutdown wait for handlers to return. From within a handler, call Drop or Release with a context that
//     has ended: they let go at once, do not wait, and return the context's error.
package pool
