// Package load makes objects in large numbers: pods as a real cluster has them, and copies of any object.
//
//   - [Generator] makes the pod of a number. The same seed and number give the same pod, on every machine.
//   - [Copies] makes numbered copies of an object.
//   - [Random] is where the variety comes from.
//
// Pods of consecutive numbers belong to one ReplicaSet, and so to one shape: they share their spec, their labels and most
// of their status, also in memory. What differs between them is their identity: name, UID, addresses, node and times.
// Shapes differ in what a team chooses: environment variables, whether there is a sidecar, and so on.
//
// On average a pod has about 8 KB in JSON. Pods are complete and valid: a server takes them, and has nothing to add but
// what it gives to every new object.
package load
