// Package leaderelection elects a leader among several replicas of a program, and another one when that has failed.
//
//	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, "default", "my-controller",
//		resourcelock.ResourceLockConfig{Identity: identity}, config, 10*time.Second)
//	...
//	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
//		Lock:            lock,
//		LeaseDuration:   15 * time.Second,
//		RenewDeadline:   10 * time.Second,
//		RetryPeriod:     2 * time.Second,
//		ReleaseOnCancel: true,
//		Callbacks: leaderelection.LeaderCallbacks{
//			OnStartedLeading: func(ctx context.Context) { work(ctx) }, // must return when ctx ends
//			OnStoppedLeading: func() { log.Print("no longer leader") },
//		},
//	})
//
// # The types
//
//	LeaderElector         one replica's part in an election   NewLeaderElector, RunOrDie
//	LeaderElectionConfig  lock, durations, callbacks
//	LeaderCallbacks       the work, and notifications
//	fence.Gate            rejects writes outside of a term, for clients created with it
//	HealthzAdaptor        a health check: no work without a lease
//	MetricsProvider       leadership metrics
//
// The record of the leader is in a Lease; see package resourcelock. [ErrLost] is the cause of a context that ended
// because leadership was lost. Term numbers the leaders.
//
// # How it works
//
// The leader writes to the Lease every RetryPeriod. The others read it about as often. A replica that has seen no
// change for LeaseDuration takes it, with an update that fails if the Lease has changed since it was read. A leader
// that could not write for RenewDeadline, which is shorter, stops its work.
//
//	         sent           the last renewal that succeeded
//	leader   ├──────────── RenewDeadline ───────────┤ context of the work has ended; the work stops …
//	server     ├ written
//	others       ├ seen ────────────── LeaseDuration ──────────────┤ one of them takes the Lease
//
// # Guarantees
//
//   - The context of the work ends before another replica can lead, if all have the same configuration, and if no clock
//     runs faster than another by more than LeaseDuration to RenewDeadline. Times in the Lease are not compared with a
//     clock; the clocks of the replicas need not agree.
//   - A leader's time counts from before its renewal was sent, the time of others from after they saw it.
//   - Time in suspend counts: on Linux by the kernel's clock (CLOCK_BOOTTIME), elsewhere by the wall clock. Setting the
//     wall clock has no effect on Linux; elsewhere setting it forward may cost the leader its lease, which is safe.
//   - A leader that was stopped (SIGSTOP), swapped out or suspended, and wakes too late, finds its context ended and
//     IsLeader false at the first check, before any timer has fired. Requests that it makes with that context, or with
//     one derived from it, are not sent. With LeaderElectionConfig.Gate the same holds for writes with any other
//     context. See package fence.
//   - A Lease that is held by another replica ends the term at once, whatever time is left.
//   - The lock is released only after OnStartedLeading has returned. Until then it is renewed, or was lost.
//   - OnStoppedLeading is called once per Run. Run returns after it and all other callbacks have returned, and leaves
//     no goroutine behind, unless the work did not return: see StopTimeout.
//   - Each request has a timeout of half of RenewDeadline, or of a second if that is longer, and none outlasts the term.
//   - LeaderTransitions of the Lease is incremented when a replica takes it over, and not when a leader renews it.
//
// # Caveats
//
//   - OnStartedLeading, OnNewLeader and OnStoppedLeading run in goroutines of their own or in the goroutine of Run; none blocks
//     renewals. Run waits for all of them, so none may wait for Run to return.
//   - Two electors with the same identity do not both lead: each knows its own record. But a program that is restarted
//     with the same identity waits for its own old lease to expire.
//   - A Lease that is deleted is created again by its leader at the next renewal, and other replicas give it two
//     RetryPeriods for that. A replica that creates the Lease itself holds it for LeaseDuration before it leads,
//     because the Lease may have been deleted without its leader knowing. So no two lead, whenever and however often
//     the Lease is deleted.
//   - The very first election takes LeaseDuration for the same reason: a Lease that has never existed looks like one
//     that was deleted. A program with an empty Lease in its manifests is elected at once: a Lease without a holder is
//     free.
//   - A leader notices an edit of its Lease only at its next renewal. A LeaseDurationSeconds that was edited to be
//     longer is respected; one that is shorter is not.
//
// # What a lease cannot do
//
// A write that a leader sent in time may arrive late: after a pause between the check and the sending, or on a slow
// network. Then two leaders have written, though never two were leaders. Where that matters, store the number of [Term]
// with each write, update only at the version that was read, and give way to a greater number. A virtual machine that
// is paused from outside may not notice it, and is such a case.
package leaderelection
