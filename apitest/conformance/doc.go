// Package conformance is the one list of what a Kubernetes API server does that clients can see, as tests.
//
// It is written against Vedette's clients, once, and runs unchanged on a real kube-apiserver and on package apitest: the
// real one reports whether an expectation is right, and then apitest has to meet it. Other servers can be
// tested with it too:
//
//	func TestConformance(t *testing.T) {
//		conformance.Run(t, conformance.Target{Config: config})
//	}
//
// # Types
//
//   - [Target] is a server: how to reach it, what can be done to it, and where it differs on purpose.
//   - [Run] runs every behaviour as a subtest. [Names] lists them.
//
// # Subjects
//
//   - create, update, delete: what the server fills in, refuses and keeps; optimistic locking; finalizers and grace.
//   - read, pages, select: resource versions, limit and continue, label and field selectors.
//   - patch, strategic, apply: the four kinds of patches.
//   - watch, initial, views: events without gap or double, bookmarks, the streamed list, other forms of the same events.
//   - subresources, custom, namespaces: status, scale, eviction and the like; CRDs; the life of a namespace.
//   - discovery, content, auth, garbage: what is served, in which encodings, to whom, and what is not understood.
//   - concurrency, shards, expiry: many writers at once; a part of a list; versions that are forgotten.
//
// # What holds
//
//   - A behaviour works in a namespace of its own, or under names of its own. Nothing has to be clean before; the objects
//     that are left behind are in namespaces called conformance-*, and CRDs are removed.
//   - Behaviours run in parallel, except those that make the server forget: they come last, one at a time.
//   - An expectation is what clients may rely on: status code, reason, the details and causes that programs read, and a
//     message only where people or programs are known to look at it. Timing and exact numbers are left open.
//   - A test waits for an event, not for a time. "Nothing more comes" is shown by something that comes after it.
package conformance
