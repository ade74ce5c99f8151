// Package internalinterfaces has what the packages of informers have in common, so that they need not import each other.
// Programs use it for the types of some parameters: [TweakListOptionsFunc], [InformerOptions], [NewInformerFunc].
//
// The informers of a kind are made of these, a few generated lines a kind: [New] and [NewCluster] make one that is not
// shared, [Share] and [ShareCluster] ask a factory for the one that is, [ToTyped] and [ToIndex] are for informers that came
// from elsewhere.
package internalinterfaces
