// Package hashspace is the arithmetic of sharding by hash: it assigns the parts of the space from 0 to 2^64 to owners. It
// is pure: no goroutine, no clock, no client, and the same input always has the same result.
//
// # The types
//
//	Range     [Start, End), where an End of 0 is 2^64            Everything, Equal(n), Range.Split
//	Set       disjoint ranges, with the algebra of sets          NewSet, Set.Union, Set.Intersect, Set.Subtract
//	Load      how much work hashes to one point                  Quantiles(loads, n)
//	Plan      an assignment, and how much load moves             Rebalance(current, owners, loads, tolerance)
//
// FNV is the hash that an API server uses for its shard selectors, and Selector writes a Set as such a selector.
// Mixed spreads better, and is for keys that only the client hashes. Cover and Disjoint check an assignment and name
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
// # What Rebalance guarantees
//
//   - The result covers the space exactly once, whatever current covers.
//   - An owner has at most MaxRanges ranges: its set has a selector.
//   - Nothing moves if no owner has more than tolerance times its fair load or more than MaxRanges ranges, no owner joins
//     or leaves, and current covers the space.
//   - A joining owner gets its fair load from owners that have more than theirs. From N to N+1 equal owners this moves
//     1/(N+1).
//   - If one owner joins and another leaves, the joining owner first takes over all ranges of the leaving one. A rolling
//     update that replaces all owners one by one therefore moves everything once.
//   - The ranges of a leaving owner go to owners below their fair load, neighbours first. The others keep their ranges,
//     unless the owners below their fair load already have MaxRanges ranges.
//   - Each owner gets at least one range, even if no load was seen in it: it can watch, and objects may be created there.
//   - Up to 1/128 of the load may move in addition to keep the number of ranges low, but only if something else moves.
//
// # Which balance is possible
//
// Points are not divisible, and ranges are contiguous. With one range for each owner, Quantiles is optimal, and the
// heaviest owner has no more than the mean and one point. Where that is above the tolerance, Rebalance gives
// an owner several ranges and packs points like a bin packer. No packing gets below the heaviest point, and n+1 equal
// points on n owners leave one with two: a bound of 1.25 does not hold for all inputs, not even if no point is above
// the mean. If none is above a quarter of the mean, 1.25 is reached for owners of equal weight, unless MaxRanges
// prevents it.
package hashspace
