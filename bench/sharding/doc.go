// Package sharding has the workloads for informers over shards: how long they take to sync, how fast changes reach the handlers,
// what a tenant that changes without pause costs the others, and what they keep in memory.
//
//   - server is an apitest.Server in a process of its own, so that its time is not the informer's. Process is the end of it that
//     a workload has in hand.
//   - side, in peers.go, is an informer: one of client-go, one of Vedette without shards (plain), or one with shards.
//   - view is the handler. It checks the order of each object's versions, and knows when it has heard all.
//   - syncing, flow and noisy are the drivers. All compare in the end what the store has, and what the view has heard, with a
//     list from the server.
package sharding
