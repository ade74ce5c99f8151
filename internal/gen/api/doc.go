// Package api reads from the sources of k8s.io/api which groups, versions and kinds there are, and what can be done with
// each, for the generators beside it.
//
// The knowledge is in marks above the types, lines that begin with +genclient:
//
//	// +genclient                            the kind has a client
//	// +genclient:nonNamespaced              it lives in no namespace
//	// +genclient:noStatus                   its Status is not written apart
//	// +genclient:noVerbs                    nothing can be done with it (but see expansions)
//	// +genclient:onlyVerbs=create,get       only that can be done with it
//	// +genclient:skipVerbs=watch            that cannot
//	// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
//
// [Read] gives an error for a mark that it does not know and for one that stands above no type: what a newer k8s.io/api has
// to say must not be overheard.
package api
