// Package internalinterfaces is the common part of the packages of informers, so that they need not import each other.
// Programs use it for the types of some parameters: [TweakListOptionsFunc], [InformerOptions], [NewInformerFunc].
//
// The generated informers use these functions: [New] and [NewCluster] return one that is not shared, [Share] and
// [ShareCluster] get the shared one from a factory, [ToTyped] and [ToIndex] are for informers from elsewhere.
package internalinterfaces
