// Package binaries builds kube-apiserver and etcd, and kubectl, from their Go modules, once, and keeps them.
//
// A [Cache] is a folder outside the work tree, with sets of programs: the control plane is one, kubectl another, which not
// everybody needs. [Cache.Get] returns the [Set] and builds it if it is not there; [Cache.Find] only looks. What holds:
//
//   - A set is used only if each program has the checksum that was written down when it was built.
//   - A set appears at once, by a rename, or not at all. A build that is killed leaves a folder that the next one removes.
//   - One build at a time, over all processes: the others wait, say that they do, and take what it made.
//   - The name of a set holds all that decides what is in it: versions, system, Go version and a hash of the module.
//   - What two sets have in common is compiled once: Go's own cache sees to that.
package binaries
