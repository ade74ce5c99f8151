// Package resourcelock is where an election keeps who leads: a record in a Lease of the API server.
//
// # The types
//
//	Interface             what package leaderelection asks of a lock: Get, Create, Update
//	LeaseLock             the lock that there is: a Lease of coordination.k8s.io/v1
//	LeaderElectionRecord  who holds it, since when, for how long
//	ResourceLockConfig    who we are, and who hears of it (EventRecorder)
//
// New makes a lock from clients that a program has, NewFromKubeconfig makes a client for the lock alone, which is the better
// way: a program that is busy does not then hold up its own renewals in a shared rate limiter.
//
//	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, "kube-system", "my-controller",
//		resourcelock.ResourceLockConfig{Identity: hostname + "_" + uuid}, config, 10*time.Second)
//
// # What always holds
//
//   - An Update is for the version that the lock last read or wrote. If anybody has changed the Lease since, it is refused with
//     a conflict, and nothing is written. All safety of an election rests on this.
//   - A lock is used by one goroutine at a time; LeaseLock has no lock of its own. It belongs to one elector.
//   - Labels of the lock are added to the Lease. What else others have written to its metadata stays.
package resourcelock
