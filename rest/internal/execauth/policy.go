package execauth

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// validatePolicy is strict, because a policy that is not understood must not be taken for one that allows.
func validatePolicy(p clientcmdapi.PluginPolicy) error {
	switch p.PolicyType {
	case "", clientcmdapi.PluginPolicyAllowAll, clientcmdapi.PluginPolicyDenyAll:
		if p.Allowlist != nil {
			return fmt.Errorf("the plugin policy is %q and there is an allowlist: only policy %q may have one",
				p.PolicyType, clientcmdapi.PluginPolicyAllowlist)
		}
		return nil
	case clientcmdapi.PluginPolicyAllowlist:
		return validateAllowlist(p.Allowlist)
	}
	return fmt.Errorf("unknown plugin policy %q", p.PolicyType)
}

func validateAllowlist(list []clientcmdapi.AllowlistEntry) error {
	if len(list) == 0 {
		return fmt.Errorf("the plugin policy is %q and the allowlist is empty: name the plugins that may run, or use policy %q",
			clientcmdapi.PluginPolicyAllowlist, clientcmdapi.PluginPolicyDenyAll)
	}
	for i, entry := range list {
		if entry.Command == "" {
			return fmt.Errorf("entry %d of the plugin allowlist is empty", i+1)
		}
		if clean := filepath.Clean(entry.Command); clean != entry.Command {
			return fmt.Errorf("entry %d of the plugin allowlist is %q: write it as %q", i+1, entry.Command, clean)
		}
	}
	return nil
}

// resolve returns the path of the program to run, or says why it may not be run. What it returned is what must be run:
// to search for the command once more might find another.
func resolve(command string, policy clientcmdapi.PluginPolicy) (string, error) {
	if policy.PolicyType == clientcmdapi.PluginPolicyDenyAll {
		return "", fmt.Errorf("it may not be run: the plugin policy is %q", policy.PolicyType)
	}
	path, err := exec.LookPath(command)
	if err != nil {
		return "", err
	}
	if policy.PolicyType != clientcmdapi.PluginPolicyAllowlist {
		return path, nil
	}
	for _, entry := range policy.Allowlist {
		if entry.Command == command || entry.Command == path || sameProgram(entry.Command, path) {
			return path, nil
		}
	}
	return "", errors.New("it may not be run: the plugin allowlist does not have it")
}

// sameProgram says whether an entry of the allowlist, searched for in PATH, is the program at path.
func sameProgram(entry, path string) bool {
	if filepath.Base(entry) != filepath.Base(path) {
		return false
	}
	found, err := exec.LookPath(entry)
	return err == nil && found == path
}
