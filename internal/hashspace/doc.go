// Package hashspace is the arithmetic of sharding by hash: who holds which part of the space from 0 to 2^64, and who
// should. It is pure: no goroutine, no clock, no client, and the same input always has the same result.
//
// # The types
//
//	Range     [Start, End), where an End of 0 is 2^64            Everything, Equal(n), Range.Split
//	Set       disjoint ranges, with the algebra of sets          NewSet, Set.Union, Set.Intersect, Set.Subtract
//	Load      how much work hashes to one point                  Quantiles(loads, n)
//	Plan      who shall hold what, and what moves for it         Rebalance(current, owners, loads, tolerance)
//
// FNV is the hash that an API server uses for its shard selectors, and Selector writes a Set as such a selector.
// Mixed is a better hash, for keys that only the client looks at. Cover and Disjoint check an assignment and name
// what is wrong with it.
//
//	plan, err := hashspace.Rebalance(current, map[string]float64{"a": 1, "b": 1, "c": 1}, loads, 0)
//	...
//	text, err := hashspace.Selector("object.metadata.namespace", plan.Owners["a"])
//
// # Which cuts
//
// Equal ranges are good for hashes of many UIDs. By chance alone the heaviest of n ranges with m objects each is
// about 2/√m above the mean: 6 % for a thousand, 2 % for ten thousand. They are useless for the FNV of names that end
// in a number: of a hundred namespaces tenant-0 to tenant-99, cut into eight equal ranges, one owner gets ninety.
// Quantiles and Rebalance cut where the observed load says.
//
// # What Rebalance keeps to
//
//   - The result covers the space exactly once, whatever current covers.
//   - An owner has at most MaxRanges ranges: its set has a selector.
//   - Nothing moves while nobody has more than tolerance times what is fair or more than MaxRanges ranges, nobody
//     comes, nobody goes, and nothing is missing.
//   - One who comes is filled up to what is fair, by those who have more than that. From N to N+1 equal owners this
//     moves 1/(N+1).
//   - One who comes when another goes takes over all that this one held, before anything else is done. So a rolling
//     update that replaces all owners one by one moves everything once.
//   - What one who goes has held is handed out to those who have less than what is fair, neighbours first. The others
//     keep what they have, unless so many ranges are in use already that those who lack can have no more of them.
//   - Each owner gets something, be it a stretch in which no load was seen: it can watch, and work may appear there.
//   - Up to 1/128 of the load may move in addition, so that ranges do not become ever more; but only if something
//     moves anyway.
//
// # What balance can be reached
//
// Points are not divisible, and ranges are contiguous. With one range for each owner, Quantiles is the best there is,
// and the heaviest owner has no more than the mean and one point. Where that is above the tolerance, Rebalance gives
// an owner several ranges and packs points like a bin packer. No packing gets below the heaviest point, and n+1 equal
// points on n owners leave one with two: a bound of 1.25 does not hold for all inputs, not even if no point is above
// the mean. If none is above a quarter of the mean, 1.25 is reached for owners of equal weight, unless MaxRanges
// stands in the way.
package hashspace
