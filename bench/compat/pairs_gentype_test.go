package compat

import (
	// The comparison loads these by their names; the imports keep them in go.mod.
	_ "k8s.io/client-go/gentype"

	_ "vedette.dev/gentype"
)

// gentypePairs are for code of client-gen.
var gentypePairs = []Pair{
	{Peer: "k8s.io/client-go/gentype", Own: "vedette.dev/gentype"},
}
