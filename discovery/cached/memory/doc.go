// Package memory keeps in memory what discovery found.
//
// NewMemCacheClient puts a cache around a discovery client. Nothing is read before somebody asks.
//
//   - The groups are read once. A server with aggregated discovery tells the resources with them; for others, the
//     resources of a group version are read when they are asked for, and no others.
//   - However many ask for the same at the same time, one request is sent, by the first of them and under its context. If
//     that context ends, the next in line asks for itself.
//   - A group version that the server does not name is ErrCacheNotFound, without a request, until Invalidate. So call
//     Invalidate when something new may have appeared, such as a custom resource definition.
//   - Errors: that the server refused (not found, forbidden) or has nothing in a group version is kept until Invalidate.
//     All else (server down, overloaded, unreadable, stale) is asked again when somebody asks again.
//   - The version of the server is not kept.
//
// What the cache hands out is shared: do not change it. The cache is safe for concurrent use, and owns no goroutines.
package memory
