package execauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// plugin is a program and how to run it. It does not change.
type plugin struct {
	command     string
	args        []string
	env         []string
	apiVersion  string
	installHint string
	// cluster is nil when the plugin is not to be told.
	cluster *Cluster
	policy  clientcmdapi.PluginPolicy
	stdin   stdinRules
	secrets redactor
	surroundings
}

func newPlugin(c *clientcmdapi.ExecConfig, cluster *Cluster, s surroundings) (*plugin, error) {
	p := &plugin{
		command:      c.Command,
		args:         slices.Clone(c.Args),
		apiVersion:   c.APIVersion,
		installHint:  c.InstallHint,
		policy:       c.PluginPolicy,
		stdin:        newStdinRules(c),
		secrets:      newRedactor(c),
		surroundings: s,
	}
	p.policy.Allowlist = slices.Clone(c.PluginPolicy.Allowlist)
	if filepath.IsAbs(p.command) {
		p.command = filepath.Clean(p.command) // so that it can be compared with the allowlist
	}
	for _, e := range c.Env {
		p.env = append(p.env, e.Name+"="+e.Value)
	}
	if c.ProvideClusterInfo {
		p.cluster = cluster
	}
	if err := p.validate(c.ProvideClusterInfo); err != nil {
		return nil, fmt.Errorf("exec plugin %q: %w", p.command, err)
	}
	return p, nil
}

func (p *plugin) validate(provideClusterInfo bool) error {
	switch {
	case p.command == "":
		return errors.New("command is empty")
	case p.apiVersion != apiV1 && p.apiVersion != apiV1Beta1:
		return fmt.Errorf("invalid apiVersion %q: it must be %s or %s", p.apiVersion, apiV1, apiV1Beta1)
	case provideClusterInfo && p.cluster == nil:
		return errors.New("provideClusterInfo is set, and there is no cluster to tell about")
	}
	if err := p.stdin.validate(p.apiVersion); err != nil {
		return err
	}
	if err := validatePolicy(p.policy); err != nil {
		return err
	}
	_, err := p.question(false)
	return err
}

// question returns the value of KUBERNETES_EXEC_INFO.
func (p *plugin) question(interactive bool) (string, error) {
	q := question{Kind: kind, APIVersion: p.apiVersion, Spec: questionSpec{Cluster: p.cluster, Interactive: interactive}}
	data, err := json.Marshal(q)
	if err != nil {
		return "", fmt.Errorf("encoding what it is to be told: %w", err)
	}
	return string(data), nil
}
