// Package listers is the common part of the listers of all kinds. A lister reads from an indexer, usually that of an
// informer, by namespace, name and labels.
//
//	pods := corev1listers.NewPodLister(indexer)
//	pod, err := pods.Pods("default").Get("web-0")
//	running, err := pods.List(labels.SelectorFromSet(labels.Set{"app": "web"}))
//
// The types:
//
//   - The packages below this one, one for each version of each API group: an interface for each kind, a lister for all
//     namespaces and, for namespaced kinds, one for a single namespace.
//   - [ResourceIndexer]: the implementation.
//   - [Lister], [Getter]: the interfaces.
//
// Guarantees:
//
//   - Objects are shared with all other readers of the indexer, and must not be modified, unless the informer packs its
//     objects: then each caller has its own. Slices belong to the caller.
//   - If an object does not exist, the error is the API's NotFound, as from the server.
//   - An object of another type, for example from a transform, is an error that names the type.
//
// The code for groups and kinds is generated from k8s.io/api, some lines a kind.
package listers

//go:generate go run vedette.dev/internal/gen/informers listers
