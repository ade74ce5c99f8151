// Package queue has the workloads for work queues.
//
// Each driver (a type with Run and Finish) is written once against the small interfaces in
// peers.go, and each side only brings its constructors, so both sides run the same code.
//
// A driver checks its own work with a few atomic operations a key, never with a lock or a map:
// `go test -bench Bookkeeping` shows what that costs, and it is the same on both sides.
package queue
