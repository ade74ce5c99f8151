// Package discovery reads what an API server serves: its version, the groups, their versions, and the resources in
// them.
//
// The types:
//
//   - [DiscoveryClient]: sends requests to the server, every time. NewDiscoveryClientForConfig returns one.
//   - [DiscoveryInterfaceWithContext]: its interface. [DiscoveryInterface] is the same without contexts, and
//     [DiscoveryInterfaces] is both. Each plain method is the one with a context, called with context.Background.
//   - [AggregatedDiscoveryInterfaceWithContext]: for clients that may get groups and resources in one response.
//   - [CachedDiscoveryInterfaceWithContext]: for clients with a cache. Package cached/memory has one.
//   - [ErrGroupDiscoveryFailed] and [StaleGroupVersionError]: errors of some groups while others were read.
//   - [ResourcePredicate], [FilteredBy]: choose among the resources.
//
// # Requests
//
// Two requests, for /api (the core group) and /apis (all others), are sent concurrently. Servers since Kubernetes 1.30
// respond with everything they serve (aggregated discovery, apidiscovery.k8s.io/v2). Others list only the groups, and
// each group version is a further request, up to 16 concurrently. WithLegacy and UseLegacyDiscovery select the second
// form.
//
// # Guarantees
//
//   - A group version whose server is down does not hide the others: ServerGroupsAndResources and related methods
//     return what could be read together with an *ErrGroupDiscoveryFailed. Check both.
//   - A response that is not discovery (a login page, half a document, a document of another kind) is an error that
//     describes it. A group that is listed twice is one group.
//   - A config without a timeout gets 32 seconds, and one without a burst may send 300 requests at once.
//   - Lists are in the order of the groups of the server.
//
// OpenAPI documents are returned as bytes, by OpenAPIV2, OpenAPIV3Paths and OpenAPIV3Schema.
package discovery
