// Package clusterdiff compares the objects of two clusters in which the same work was done.
//
// Such objects differ in what a cluster chooses at random or by the clock: generated names, UIDs, addresses, times. [Compare]
// replaces these by what they stand for. A UID becomes "uid(Pod/work/web-7d9c#1)", which is the first pod of a ReplicaSet, so
// that an owner reference to the wrong object is still a difference. Everything else has to be equal.
//
//   - [Object] is one object, [Result] the comparison.
//   - names.go finds the names, UIDs and addresses of a cluster, and says how generated names are matched.
//   - rules.go lists each other normalisation, with its reason.
package clusterdiff
