package execauth

import (
	"errors"
	"fmt"
	"os"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// stdinRules say whether the plugin gets our standard input.
type stdinRules struct {
	mode clientcmdapi.ExecInteractiveMode
	// unavailable reports that standard input is read by another part of the program, and why says by which.
	unavailable bool
	why         string
}

func newStdinRules(c *clientcmdapi.ExecConfig) stdinRules {
	r := stdinRules{mode: c.InteractiveMode, unavailable: c.StdinUnavailable, why: c.StdinUnavailableMessage}
	if r.mode == "" && c.APIVersion == apiV1Beta1 {
		r.mode = clientcmdapi.IfAvailableExecInteractiveMode // the default of v1beta1; v1 has none
	}
	return r
}

func (r stdinRules) validate(apiVersion string) error {
	switch r.mode {
	case clientcmdapi.NeverExecInteractiveMode, clientcmdapi.IfAvailableExecInteractiveMode,
		clientcmdapi.AlwaysExecInteractiveMode:
		return nil
	case "":
		return fmt.Errorf("interactiveMode is empty, and %s needs one: Never, IfAvailable or Always", apiVersion)
	}
	return fmt.Errorf("unknown interactiveMode %q: it must be Never, IfAvailable or Always", r.mode)
}

// interactive decides, for a standard input that is or is not a terminal.
func (r stdinRules) interactive(terminal bool) (bool, error) {
	switch r.mode {
	case clientcmdapi.IfAvailableExecInteractiveMode:
		return terminal && !r.unavailable, nil
	case clientcmdapi.AlwaysExecInteractiveMode:
		if !terminal {
			return false, errors.New("interactiveMode is Always, and standard input is not a terminal")
		}
		if r.unavailable {
			if r.why != "" {
				return false, fmt.Errorf("interactiveMode is Always, and standard input is unavailable: %s", r.why)
			}
			return false, errors.New("interactiveMode is Always, and standard input is unavailable")
		}
		return true, nil
	}
	return false, nil
}

// isTerminal says whether f is a character device other than the null device, which is what daemons have for standard
// input.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && !os.SameFile(info, null)
}
