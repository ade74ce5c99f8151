//go:build !unix

package execauth

import "os/exec"

// ownGroup does nothing where there are no process groups: the plugin is killed, and what it started is not.
func ownGroup(*exec.Cmd) {}

func hasControllingTerminal() bool { return false }
