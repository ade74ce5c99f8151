// Package podcache is informers of pods, of client-go and of Vedette, on a podserver in a process of its own. It is what the
// workloads about memory and about watches have in common.
//
//   - [Config] says which informer, and [Prepare] makes it, with its server. [Running] is both.
//   - [View] is the handler, the same for both sides. It counts and sums up its calls, and signals when it has received all of them.
//   - [Running.Check] compares the store with what the server has: how many pods, their names and versions, and some of them field
//     by field.
//
// client-go is as it is by default: a shared index informer with an index by namespace, that begins with a watch (WatchList).
package podcache
