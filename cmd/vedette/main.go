// Vedette shows what happens in a Kubernetes cluster, and runs an API server for experiments. See 'vedette help'.
package main

import (
	"os"

	"vedette.dev/cmd/vedette/internal/command"
)

func main() { os.Exit(command.Main()) }
