package compat

import (
	_ "k8s.io/client-go/tools/leaderelection"
	_ "k8s.io/client-go/tools/leaderelection/resourcelock"

	_ "vedette.dev/leaderelection"
	_ "vedette.dev/leaderelection/resourcelock"
)

// leaderPairs are about leader election.
var leaderPairs = []Pair{
	{Peer: "k8s.io/client-go/tools/leaderelection/resourcelock", Own: "vedette.dev/leaderelection/resourcelock"},
	{Peer: "k8s.io/client-go/tools/leaderelection", Own: "vedette.dev/leaderelection"},
}
