// Package pods makes pods for benchmarks: as large, as varied and as alike as those of a real cluster.
//
//   - [New] makes the pod of a number. The same number gives the same pod, on every machine.
//   - [Changed] makes it as it is after a change.
//   - [Encoder] writes the same pods in the form a server sends, without building them first.
//   - [Key], [UID] and [ContainersOf] say what a benchmark must find in a pod, without building it either.
//
// Pods of consecutive numbers belong to one ReplicaSet, and so to one [shape]: they share their spec, their labels and
// most of their status. What differs between them (name, UIDs, IPs, node, times) is the [identity]. Shapes differ
// in everything a team chooses: the number of environment variables, whether there is a sidecar, and so on.
//
// On average a pod has about 10.2 KB in JSON and 6.2 KB in protobuf.
package pods
