// Package restmapper finds the resource of a kind and the kind of a resource, by asking the server: where does a Deployment
// live, and in which version?
//
// The mappers:
//
//   - [Lazy] reads only the groups that it is asked about, and reads a group again when something is missing in it, but not
//     more often than every few seconds. It is the one to take for a controller. NewLazy makes one.
//   - [DeferredDiscoveryRESTMapper] reads everything when it is first asked. What is new on the server appears after Reset.
//   - NewDiscoveryRESTMapper is a fixed mapper of what GetAPIGroupResources read.
//   - NewShortcutExpander lets a mapper understand short names, such as "deploy".
//
// All of them are a meta.RESTMapper and a meta.RESTMapperWithContext at the same time, can be reset, and are safe for
// concurrent use. Where a kind is in several groups or versions, the core group comes first, then groups in the order of
// the server, and in a group the version that it prefers.
//
// Categories, such as "all", stand for several resources:
//
//   - [CategoryExpander], [CategoryExpanderWithContext]: turn one into its resources.
//   - [SimpleCategoryExpander]: from a table. NewDiscoveryCategoryExpander: from what the server says.
//   - [UnionCategoryExpander], [UnionCategoryExpanderWithContext]: from several.
//
// Groups that could not be read: GetAPIGroupResources, and with it the DeferredDiscoveryRESTMapper, leaves them out, so that
// a kind in them is a no-match error. Lazy says that the group could not be read.
package restmapper
