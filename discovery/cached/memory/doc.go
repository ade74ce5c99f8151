// Package memory is a cache for discovery in memory.
//
// NewMemCacheClient returns a cache for a discovery client. Nothing is read before it is needed.
//
//   - The groups are read once. A server with aggregated discovery includes the resources; for others, the resources of
//     a group version are read when they are needed.
//   - Concurrent callers share one request, which is sent by the first of them with its context. If that context ends,
//     the next caller sends its own.
//   - A group version that the server does not list is ErrCacheNotFound, without a request, until Invalidate. So call
//     Invalidate when something new may have appeared, such as a custom resource definition.
//   - A rejection by the server (not found, forbidden) or an empty group version is cached until Invalidate. Other
//     errors (server down, overloaded, unreadable, stale) are not cached.
//   - The version of the server is not kept.
//
// The results are shared: do not modify them. The cache is safe for concurrent use, and has no goroutines.
package memory
