// Package reconcile has the workloads for controllers: how fast objects and their changes go from a list or a watch through an
// informer and a queue to eight workers that do nothing, how late a reconcile is, and what the records of package controller
// cost.
//
//   - object is one state of an object, and server one in memory that lists and watches objects. They are the same for all
//     sides.
//   - side, in peers.go, is an informer with a controller behind it: the classic one of client-go, that of controller-runtime,
//     or Vedette's.
//   - phase is what the workers are to see: one reconcile of each key, in a certain version. It checks that.
//   - initial, updates, latency and turns are the drivers.
package reconcile
