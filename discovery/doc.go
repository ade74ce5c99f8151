// Package discovery asks an API server what it serves: its version, the groups, their versions, and the resources in them.
//
// The types:
//
//   - [DiscoveryClient]: asks the server, every time. NewDiscoveryClientForConfig makes one.
//   - [DiscoveryInterfaceWithContext]: what it can do. [DiscoveryInterface] is the same without contexts, and
//     [DiscoveryInterfaces] is both. Each plain method is the one with a context, called with context.Background.
//   - [AggregatedDiscoveryInterfaceWithContext]: for clients that may get groups and resources in one answer.
//   - [CachedDiscoveryInterfaceWithContext]: for clients that keep what they read. Package cached/memory has one.
//   - [ErrGroupDiscoveryFailed] and [StaleGroupVersionError]: what went wrong with some groups while others were read.
//   - [ResourcePredicate], [FilteredBy]: choose among the resources.
//
// # How the server is asked
//
// Two requests, for /api (the core group, older than groups) and /apis (all others), are sent at the same time. Servers
// since Kubernetes 1.30 answer with everything they serve (aggregated discovery, apidiscovery.k8s.io/v2). Others name only
// the groups, and each group version is a further request; at most 16 are under way at once. WithLegacy and
// UseLegacyDiscovery ask for the second form.
//
// # What to expect
//
//   - A group version whose own server is down does not hide the others: ServerGroupsAndResources and its relatives return
//     what could be read together with an *ErrGroupDiscoveryFailed. Look at both.
//   - An answer that is not discovery (a login page, half a document, a document of another kind) is an error that says
//     what came in its place. A group that is named twice is one group.
//   - A config without a timeout gets 32 seconds, and one without a burst may send 300 requests at once.
//   - Lists come in the order in which the server named the groups.
//
// OpenAPI documents are handed out as bytes, by OpenAPIV2, OpenAPIV3Paths and OpenAPIV3Schema.
package discovery
