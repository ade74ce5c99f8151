// Package pipeline has the workloads for informers: how fast changes go from a watch to the handlers, what a slow handler
// costs, and what a relist costs.
//
//   - [thing] is an object, and source a server in memory that lists and watches things. It is the same for both sides.
//   - informer, in peers.go, is what the drivers need of a side.
//   - view is a handler. It checks each call, and knows when it has heard all.
//   - flow, slow, relist and readers are the drivers.
package pipeline
