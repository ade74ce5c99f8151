// Package listers has what the listers of all kinds are made of. A lister reads from an indexer, most often that of an
// informer, by namespace, name and labels.
//
//	pods := corev1listers.NewPodLister(indexer)
//	pod, err := pods.Pods("default").Get("web-0")
//	running, err := pods.List(labels.SelectorFromSet(labels.Set{"app": "web"}))
//
// The types:
//
//   - The packages below this one, one for each version of each API group: an interface for each kind, a lister for all
//     namespaces and, where the kind lives in namespaces, one for a single namespace.
//   - [ResourceIndexer]: what is behind them.
//   - [Lister], [Getter]: what they can do.
//
// What to expect:
//
//   - What a lister returns is shared with everybody else who reads the indexer, and must not be changed, unless the informer
//     packs its objects: then each caller has its own. Slices are the caller's own.
//   - What is not there is the API's NotFound error, as if the server had been asked.
//   - An object of another type, which a transform may have made, is an error that names the type.
//
// The code for groups and kinds is generated from k8s.io/api, some lines a kind.
package listers

//go:generate go run vedette.dev/internal/gen/informers listers
