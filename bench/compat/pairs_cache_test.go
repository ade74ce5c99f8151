package compat

import (
	// The comparison loads these by their names; the imports keep them in go.mod.
	_ "k8s.io/client-go/tools/cache"
	_ "k8s.io/client-go/tools/cache/synctrack"
	_ "k8s.io/client-go/tools/cache/testing"
	_ "k8s.io/client-go/tools/pager"
	_ "k8s.io/client-go/tools/watch"
	_ "k8s.io/client-go/util/watchlist"

	_ "vedette.dev/cache"
	_ "vedette.dev/cache/synctrack"
	_ "vedette.dev/cache/testing"
	_ "vedette.dev/pager"
	_ "vedette.dev/watch"
	_ "vedette.dev/watchlist"
)

// cachePairs are the stores and queues, the reflector and the informers.
var cachePairs = []Pair{
	{Peer: "k8s.io/client-go/tools/cache", Own: "vedette.dev/cache", Omitted: merge(
		omitted("no state of the whole process: a provider of metrics is given in options",
			"SetInformerMetricsProvider", "SetReflectorMetricsProvider"),
		omitted("only SetReflectorMetricsProvider takes it, and nothing reads what that sets",
			"MetricsProvider"),
		omitted("there is no list of names that it could empty",
			"ResetInformerNamesForTesting"),
	)},
	{Peer: "k8s.io/client-go/tools/cache/synctrack", Own: "vedette.dev/cache/synctrack"},
	{Peer: "k8s.io/client-go/tools/pager", Own: "vedette.dev/pager"},
	{Peer: "k8s.io/client-go/tools/watch", Own: "vedette.dev/watch"},
	{Peer: "k8s.io/client-go/tools/cache/testing", Own: "vedette.dev/cache/testing"},
	{Peer: "k8s.io/client-go/util/watchlist", Own: "vedette.dev/watchlist"},
}
