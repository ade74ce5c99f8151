// Package binaries builds kube-apiserver and etcd, kubectl and kube-controller-manager from their Go modules, and caches
// them.
//
// A [Cache] is a folder outside the work tree, with sets of programs: the control plane is one, kubectl another, which
// is needed less often, and kube-controller-manager two, with client-go as it was published and on Vedette.
// [Cache.Get] returns the [Set] and builds it if necessary; [Cache.Find] does not build. Guarantees:
//
//   - A set is used only if each program has the checksum that was recorded when it was built.
//   - A set appears atomically, by a rename. A build that is killed leaves a folder that the next one removes.
//   - There is one build at a time, over all processes: the others wait, report that, and use its result.
//   - The name of a set contains everything that determines its content: versions, system, Go version and a hash of the
//     module, and of Vedette's source for programs on Vedette. Of these only the last is kept.
//   - What two sets have in common is compiled once, because of Go's own cache.
package binaries
