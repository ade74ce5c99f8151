// Package cover has sets of objects of one kind: which objects a stream brings, and which a shard owns.
//
// # Types
//
//   - A Dimension is something of which each object has one value: the cluster, the namespace, the value of one label or field, the
//     tenant, a hash. Labels with different keys are different dimensions, and so are hashes by different keys.
//   - A Set is a set of the values of one dimension.
//   - A Cover is a set of objects: a union of boxes, each of which has one Set for each dimension that it restricts.
//
// # What holds
//
// Union, Intersect, Subtract, Contains and Equal are exact: they are about every object that could exist, whatever values it has in
// the dimensions that nothing restricts. Two dimensions are taken to be independent, so that covers by different labels overlap, and
// none contains the other. Covers and Sets do not change; all functions return new ones.
package cover
