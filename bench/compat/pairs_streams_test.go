package compat

import (
	// The comparison loads these by their names; the imports keep them in go.mod.
	_ "k8s.io/client-go/tools/portforward"
	_ "k8s.io/client-go/tools/remotecommand"
	_ "k8s.io/client-go/transport/spdy"
	_ "k8s.io/client-go/transport/websocket"
	_ "k8s.io/client-go/util/exec"

	_ "vedette.dev/exec"
	_ "vedette.dev/portforward"
	_ "vedette.dev/remotecommand"
	_ "vedette.dev/transport/spdy"
	_ "vedette.dev/transport/websocket"
)

// streamPairs are the packages for streams to pods.
var streamPairs = []Pair{
	{Peer: "k8s.io/client-go/tools/remotecommand", Own: "vedette.dev/remotecommand"},
	{Peer: "k8s.io/client-go/tools/portforward", Own: "vedette.dev/portforward"},
	{Peer: "k8s.io/client-go/transport/spdy", Own: "vedette.dev/transport/spdy"},
	{Peer: "k8s.io/client-go/transport/websocket", Own: "vedette.dev/transport/websocket"},
	{Peer: "k8s.io/client-go/util/exec", Own: "vedette.dev/exec"},
}
