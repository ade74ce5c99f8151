// Package leaderelection lets one of several replicas of a program do the work, and another when that one is gone.
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
//	LeaderElectionConfig  which lock, how patient, what to call
//	LeaderCallbacks       the work, and who hears of what happens
//	fence.Gate            refuses what is written outside of a term, if a client was made with it
//	HealthzAdaptor        a health check: no work without a lease
//	MetricsProvider       who leads, for dashboards
//
// The record of who leads is in a Lease; see package resourcelock. ErrLost is why the work had to stop, Term numbers the leaders.
//
// # How it works
//
// The leader writes to the Lease every RetryPeriod. The others read it about as often. One that has seen no change for
// LeaseDuration takes it, by a write that is refused if anybody has written since it looked. A leader that could not write
// for RenewDeadline, which is shorter, stops its work.
//
//	         sent           the last renewal that succeeded
//	leader   ├──────────── RenewDeadline ───────────┤ context of the work has ended; the work stops …
//	server     ├ written
//	others       ├ seen ────────────── LeaseDuration ──────────────┤ one of them takes the Lease
//
// # What always holds
//
//   - The context of the work ends before another replica can lead, if all have the same times, and if none has a clock that
//     runs faster than another's by more than LeaseDuration to RenewDeadline. Times in the Lease are compared with no
//     clock; the clocks of the replicas need not agree.
//   - A leader's time counts from before its renewal was sent, and others' from after they saw it.
//   - A suspend of the machine counts: on Linux by its own clock (CLOCK_BOOTTIME), elsewhere by the wall clock. A clock that is set
//     forward or back does no harm on Linux; elsewhere one that is set forward may cost the leader its lease, in safety.
//   - A leader that was stopped (SIGSTOP), swapped out or suspended, and wakes too late, finds its context ended and IsLeader false
//     at the first question, before any timer has run. Requests that it makes with that context, or with one that is derived from it,
//     are not sent. With LeaderElectionConfig.Gate the same holds for what it writes with any other context. See package fence.
//   - A Lease that is seen to be another's ends the term at once, whatever time is left.
//   - The lock is given back only after OnStartedLeading has returned. Until then it is renewed, or was lost.
//   - OnStoppedLeading is called once a Run. After it, and after all other callbacks, Run returns, and nothing of it runs: unless the
//     work did not return, see StopTimeout.
//   - Each request ends after half of RenewDeadline, whatever the connection does.
//   - LeaderTransitions of the Lease grows by one when a replica takes it over, and not when a leader renews it.
//
// # Who waits for whom
//
//   - OnStartedLeading, OnNewLeader and OnStoppedLeading each run in a goroutine of their own or that of Run; none holds up
//     renewals. Run waits for all of them, so none may wait for Run to return.
//   - Two electors with one identity do not both lead: each knows its own record. But a program that is started anew with the
//     identity that it had waits for its own old lease to end.
//   - A Lease that is deleted is created anew by its leader at the next renewal, and other replicas give it two RetryPeriods for that.
//     A replica that creates the Lease itself holds it for LeaseDuration before it leads, because the Lease may have been deleted and
//     its leader may not have found out. So no two lead, whenever and however often the Lease is deleted.
//   - The first election of all takes LeaseDuration for the same reason: a Lease that has never existed looks like one that was
//     deleted. A program that ships an empty Lease in its manifests is elected at once: one without a holder is free.
//   - A leader does not find out that its Lease was edited before its next renewal. A LeaseDurationSeconds that is edited to be very
//     long is believed; one that is too short is not.
//
// # What a lease cannot do
//
// A write that a leader sent in time may arrive late: after a stop between the check and the sending, or on a slow network. Then
// two leaders have written, though never two were leaders. Where that matters, put the number of Term into what is written, update
// only at the version that was read, and give way to a greater number. A virtual machine that is paused from outside may not
// know of it, and is such a case.
package leaderelection
