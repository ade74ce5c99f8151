// Package binaries builds kube-apiserver and etcd from their Go modules, once, and keeps them.
//
// A [Cache] is a folder outside the work tree. [Cache.Get] returns the [Set] of programs in it and builds them if they are
// not there; [Cache.Find] only looks. What holds:
//
//   - A set is used only if each program has the checksum that was written down when it was built.
//   - A set appears at once, by a rename, or not at all. A build that is killed leaves a folder that the next one removes.
//   - One build at a time, over all processes: the others wait, say that they do, and take what it made.
//   - The name of a set holds all that decides what is in it: versions, system, Go version and a hash of the module.
package binaries
