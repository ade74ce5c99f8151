package compat

import (
	_ "k8s.io/client-go/tools/record"
	_ "k8s.io/client-go/tools/reference"

	_ "vedette.dev/record"
	_ "vedette.dev/reference"
)

// recordPairs are about events.
var recordPairs = []Pair{
	{Peer: "k8s.io/client-go/tools/reference", Own: "vedette.dev/reference"},
	{Peer: "k8s.io/client-go/tools/record", Own: "vedette.dev/record", Omitted: merge(
		omitted("klog's level in a signature; ours is an int, so that a call with a constant compiles as it is", "EventBroadcaster"),
		omitted("returns an interface of tools/events, which is left out: one recorder writes to both APIs", "EventRecorderAdapter.WithLogger"),
	)},
}
