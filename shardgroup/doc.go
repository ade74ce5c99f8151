// Package shardgroup divides the shards of a kind, or of several kinds, among processes: each shard has one owner at any time.
//
//	group, err := shardgroup.New(shardgroup.Config{Name: "pods", Namespace: "ops", REST: config})
//	go group.Run(ctx)
//	...
//	ctx, done, err := group.Begin(ctx, shard) // fails unless this process owns the shard
//	defer done()
//
// Members may come and go, crash, freeze, or lose the network. All that is needed are a Lease for each member and one ConfigMap;
// there is no server, and no CustomResourceDefinition.
//
// # The types
//
//	Group   a member; New, Run, Begin, Owned, Changed, State, Explain, HealthCheck, RESTConfig
//	Config  what it is made of; all members have the same Name, Shards and Key
//	Bind    connects an informer of package shard and a controller to the group
//
// Package internal/protocol has the map that says who owns what, and the decisions; internal/shardhistory, in the module, has a checker for tests.
//
// # What always holds
//
//   - Two members never work in a shard at the same time, and never write for it, as long as their clocks go at rates that differ by
//     less than 3 % of RenewDeadline. A shard leaves its owner when all work that was begun in it has ended, or when the lease of
//     the owner has been unchanged for LeaseDuration and was then fenced by an update at that version.
//   - A member works for RenewDeadline after it sent its last successful renewal, by its own clock, which also counts suspends of the
//     machine. The context of work asks that clock, and requests made with it are refused when it is over: see package fence.
//   - The epoch of a shard increases with each grant. Without any assumption on clocks, an object that stores the epoch of its last
//     writer, and is updated at the version that was read, is never written by a lower epoch after a higher one.
//   - A map that is not valid, or was edited by hand, changes nothing. A map that was deleted stops all work; a new one grants nothing
//     before LeaseDuration has passed and all members have let go of the old one.
//
// # Who does what
//
// Each member renews its lease every RetryPeriod, and reports in it which shards it has released, and which it is ready for. It
// watches the map. The first coordinator that the map names changes it; two more watch the leases too, and take over without
// having to learn first how old these are. The others look for a coordinator now and then. Which of them decides does not matter
// for safety: every change of the map is made at the version that was read.
//
// Owners report the loads of their shards, too, by which shards are divided, and with a shard that they release the versions of what they
// have written in it. The next owner begins when the informers of [Bind] have those versions.
//
// A move of any number of shards is two changes of the map and one renewal, and one more change of the map with Config.Prepare.
package shardgroup
