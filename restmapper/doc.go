// Package restmapper maps kinds to resources and resources to kinds, by discovery: for example, the resource and
// version of a Deployment.
//
// The mappers:
//
//   - [Lazy] reads only the groups that are needed, and reads a group again if something is missing in it, but not more
//     often than every few seconds. Use it for controllers. NewLazy returns one.
//   - [DeferredDiscoveryRESTMapper] reads everything at the first call. New resources appear after Reset.
//   - NewDiscoveryRESTMapper returns a fixed mapper for the result of GetAPIGroupResources.
//   - NewShortcutExpander adds short names, such as "deploy", to a mapper.
//
// All of them implement both meta.RESTMapper and meta.RESTMapperWithContext, can be reset, and are safe for concurrent
// use. If a kind is in several groups or versions, the core group comes first, then groups in the order of the server,
// and in a group the preferred version.
//
// Categories, such as "all", stand for several resources:
//
//   - [CategoryExpander], [CategoryExpanderWithContext]: expand a category to its resources.
//   - [SimpleCategoryExpander]: from a table. NewDiscoveryCategoryExpander: from discovery.
//   - [UnionCategoryExpander], [UnionCategoryExpanderWithContext]: from several.
//
// Groups that could not be read: GetAPIGroupResources, and with it the DeferredDiscoveryRESTMapper, omits them, so that
// a kind in them is a no-match error. Lazy returns an error that the group could not be read.
package restmapper
