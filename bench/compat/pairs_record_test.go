package compat

import (
	_ "k8s.io/client-go/tools/events"
	_ "k8s.io/client-go/tools/record"
	_ "k8s.io/client-go/tools/reference"

	_ "vedette.dev/events"
	_ "vedette.dev/record"
	_ "vedette.dev/reference"
)

const klogLevel = "klog's level in a signature; ours is an int, so that a call with a constant compiles as it is"

// recordPairs are about events.
var recordPairs = []Pair{
	{Peer: "k8s.io/client-go/tools/reference", Own: "vedette.dev/reference"},
	{Peer: "k8s.io/client-go/tools/record", Own: "vedette.dev/record", Omitted: omitted(klogLevel, "EventBroadcaster")},
	{Peer: "k8s.io/client-go/tools/events", Own: "vedette.dev/events", Omitted: omitted(klogLevel, "EventBroadcaster")},
	{Peer: "k8s.io/client-go/tools/internal/events", Own: "vedette.dev/internal/events"},
}
