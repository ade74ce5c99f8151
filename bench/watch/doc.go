// Package watch has the workloads about changes that come over HTTP, to informers of pods that have synced.
//
//   - flow is changes that come as fast as they are read: what one costs.
//   - slow is a handler that does not keep up: what waits for it.
//   - readers is a store that is read all the time: when a change is in it.
//
// The informers, their server and the checks are those of package podcache. Each change brings an object of its own.
package watch
