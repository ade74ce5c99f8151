// Package resourcelock stores the record of an election's leader in a Lease.
//
// # The types
//
//	Interface             a lock for package leaderelection: Get, Create, Update
//	LeaseLock             a lock in a Lease of coordination.k8s.io/v1
//	LeaderElectionRecord  holder, times and duration
//	ResourceLockConfig    identity and EventRecorder
//
// New creates a lock with clients of the program, NewFromKubeconfig one with a client of its own. Prefer the latter: a
// busy program then does not delay its own renewals by a shared rate limiter.
//
//	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, "kube-system", "my-controller",
//		resourcelock.ResourceLockConfig{Identity: hostname + "_" + uuid}, config, 10*time.Second)
//
// # Guarantees
//
//   - An Update is for the version that the lock last read or wrote. If the Lease has changed since, the server answers
//     with a conflict, and nothing is written. The safety of an election rests on this.
//   - A LeaseLock is not safe for concurrent use. It belongs to one elector.
//   - Labels of the lock are added to the Lease. Other metadata of the Lease is kept.
package resourcelock
