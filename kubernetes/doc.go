// Package kubernetes has clients for all built-in resources of a Kubernetes API server.
//
//	clientset, err := kubernetes.NewForConfig(config)
//	pods, err := clientset.CoreV1().Pods("default").List(ctx, metav1.ListOptions{})
//
// The types:
//
//   - [Clientset] and its interface [Interface]: a client for each version of each API group, and discovery.
//   - The packages under typed, one for each version of each group: the client of the group, and an interface for each
//     kind. Programs take these interfaces as parameters.
//   - Package scheme: all the types, for encoding and decoding without a client.
//
// Notes:
//
//   - The clients of a clientset share connections. Where the configuration sets QPS they also share one rate limit;
//     where it leaves QPS at zero, each group has a limit of its own, 5 requests a second in the long run and 10 at once.
//   - All methods are safe for concurrent use.
//   - A group's client is created on first use. Errors in a configuration are returned by [NewForConfig].
//   - Built-in kinds are sent and received as protobuf unless the configuration sets a content type.
//   - Apply methods take a gentype.ApplyConfiguration, which is anything that has a name and marshals to JSON: an
//     object passed to gentype.Apply, or a configuration from k8s.io/client-go/applyconfigurations.
//   - A program that uses one group only, and imports its package under typed instead of this one, is some megabytes
//     smaller: this package links the types of all groups.
//
// The code for groups and kinds is generated from k8s.io/api, a few lines a kind; what they do is in package gentype.
package kubernetes

//go:generate go run vedette.dev/internal/gen/clients
