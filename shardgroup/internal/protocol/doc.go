// Package protocol decides which member of a group owns which shard. It is pure: no clock, no requests.
//
// # The types
//
//	Map     who owns each shard, and since which epoch; one object on the server, changed by compare-and-swap
//	Report  what a member says in its lease: its state, what it has released, what it is ready for
//	View    a member as the coordinator sees it
//	Step    the next map, and which members have to be fenced before more can be decided
//
// # The life of a shard
//
//	Free ──grant, epoch+1──▶ Owned(p) ──▶ Preparing(p→q) ──▶ Draining(p→q) ──p has released──▶ Owned(q), epoch+1
//	                            any of these ──p is dead, or has left──▶ Free
//
// # What always holds
//
//   - In the order of the revisions of a map, a shard has one owner at most, and its epoch never falls. A grant increases it.
//   - A shard leaves its owner only if the owner has released it at its current epoch, has left, or is dead: fenced by an
//     update of its lease at the version that was unchanged for the whole lease duration, or gone for that long.
//   - A new map grants nothing before every member that may own a shard by an earlier map has said that it does not. Its epochs are above all
//     that a member remembers.
//   - An owner that releases a shard hands over the versions of what was written in it.
package protocol
