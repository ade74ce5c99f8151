package clientcmd

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	clientcmdapi "vedette.dev/clientcmd/api"
)

func TestValidateSample(t *testing.T) {
	config := mustLoad(t, sample)
	delete(config.Contexts, "bare") // it names no user
	if err := Validate(*config); err != nil {
		t.Error(err)
	}
	for name := range config.Contexts {
		if err := ConfirmUsable(*config, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestValidate corrupts a valid config: Validate finds it, and ConfirmUsable if it is in the context that is asked for.
func TestValidate(t *testing.T) {
	exec := func(change func(*clientcmdapi.ExecConfig)) func(*clientcmdapi.Config) {
		return func(c *clientcmdapi.Config) {
			c.AuthInfos["token"] = c.AuthInfos["exec"]
			change(c.AuthInfos["token"].Exec)
		}
	}
	policy := func(kind clientcmdapi.PolicyType, list []clientcmdapi.AllowlistEntry) func(*clientcmdapi.Config) {
		return exec(func(e *clientcmdapi.ExecConfig) {
			e.PluginPolicy = clientcmdapi.PluginPolicy{PolicyType: kind, Allowlist: list}
		})
	}
	user := func(u clientcmdapi.AuthInfo) func(*clientcmdapi.Config) {
		return func(c *clientcmdapi.Config) { c.AuthInfos["token"] = &u }
	}
	cluster := func(change func(*clientcmdapi.Cluster)) func(*clientcmdapi.Config) {
		return func(c *clientcmdapi.Config) { change(c.Clusters["prod"]) }
	}
	data := []byte("x")
	for want, change := range map[string]func(*clientcmdapi.Config){
		`user was not specified for context "prod"`:       func(c *clientcmdapi.Config) { c.Contexts["prod"].AuthInfo = "" },
		`user "x" was not found for context "prod"`:       func(c *clientcmdapi.Config) { c.Contexts["prod"].AuthInfo = "x" },
		`cluster was not specified for context "prod"`:    func(c *clientcmdapi.Config) { c.Contexts["prod"].Cluster = "" },
		`cluster "x" was not found for context "prod"`:    func(c *clientcmdapi.Config) { c.Contexts["prod"].Cluster = "x" },
		`namespace "A_B" for context "prod"`:              func(c *clientcmdapi.Config) { c.Contexts["prod"].Namespace = "A_B" },
		`no server found for cluster "prod"`:              cluster(func(c *clientcmdapi.Cluster) { c.Server = "" }),
		"cluster has no server defined":                   func(c *clientcmdapi.Config) { c.Clusters["prod"] = clientcmdapi.NewCluster() },
		`invalid 'proxy-url' for cluster "prod"`:          cluster(func(c *clientcmdapi.Cluster) { c.ProxyURL = "gopher://x" }),
		"certificate-authority are both specified":        cluster(func(c *clientcmdapi.Cluster) { c.CertificateAuthority = "/nowhere/ca" }),
		"unable to read certificate-authority /nowhere/b": cluster(func(c *clientcmdapi.Cluster) { c.CertificateAuthority, c.CertificateAuthorityData = "/nowhere/b", nil }),
		"found [token basicAuth]":                         user(clientcmdapi.AuthInfo{Token: "x", Username: "x"}),
		"client-cert-data and client-cert are both":       user(clientcmdapi.AuthInfo{ClientCertificate: "/nowhere/c", ClientCertificateData: data, ClientKeyData: data}),
		"client-key-data and client-key are both":         user(clientcmdapi.AuthInfo{ClientCertificateData: data, ClientKey: "/nowhere/k", ClientKeyData: data}),
		"client-key-data or client-key must be":           user(clientcmdapi.AuthInfo{ClientCertificateData: data}),
		"unable to read client-cert /nowhere/c":           user(clientcmdapi.AuthInfo{ClientCertificate: "/nowhere/c", ClientKeyData: data}),
		"unable to read client-key /nowhere/k":            user(clientcmdapi.AuthInfo{ClientCertificateData: data, ClientKey: "/nowhere/k"}),
		"without impersonating a user":                    user(clientcmdapi.AuthInfo{ImpersonateGroups: []string{"x"}}),
		"extra for token without impersonating":           user(clientcmdapi.AuthInfo{ImpersonateUserExtra: map[string][]string{"x": nil}}),
		"requesting uid, groups or user-extra":            user(clientcmdapi.AuthInfo{ImpersonateUID: "x"}),
		"authProvider cannot be provided":                 user(clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{}, AuthProvider: &clientcmdapi.AuthProviderConfig{}}),
		"command must be specified for token":             exec(func(e *clientcmdapi.ExecConfig) { e.Command = "" }),
		"apiVersion must be specified for token":          exec(func(e *clientcmdapi.ExecConfig) { e.APIVersion = "" }),
		"env variable name must be specified":             exec(func(e *clientcmdapi.ExecConfig) { e.Env[0].Name = "" }),
		"interactiveMode must be specified":               exec(func(e *clientcmdapi.ExecConfig) { e.InteractiveMode = "" }),
		`invalid interactiveMode for token: "x"`:          exec(func(e *clientcmdapi.ExecConfig) { e.InteractiveMode = "x" }),
		`unknown plugin policy "x"`:                       policy("x", nil),
		`the plugin policy is ""`:                         policy("", []clientcmdapi.AllowlistEntry{}),
		`the plugin policy is "DenyAll"`:                  policy(clientcmdapi.PluginPolicyDenyAll, []clientcmdapi.AllowlistEntry{{Command: "x"}}),
		`use the policy "DenyAll"`:                        policy(clientcmdapi.PluginPolicyAllowlist, nil),
		"entry 2 has no command":                          policy(clientcmdapi.PluginPolicyAllowlist, []clientcmdapi.AllowlistEntry{{Command: "x"}, {}}),
		`entry 1 is the path "/a/../b": write it as "/b"`: policy(clientcmdapi.PluginPolicyAllowlist, []clientcmdapi.AllowlistEntry{{Command: "/a/../b"}}),
	} {
		t.Run(want, func(t *testing.T) {
			config := mustLoad(t, sample)
			delete(config.Contexts, "bare")
			change(config)
			wantError(t, Validate(*config), "invalid configuration", want)
			err := ConfirmUsable(*config, "")
			wantError(t, err, "invalid configuration", want)
			if !IsConfigurationInvalid(err) || IsEmptyConfig(err) || IsContextNotFound(err) {
				t.Error("the error is of another class")
			}
		})
	}
}

func TestValidateOther(t *testing.T) {
	if err := Validate(*clientcmdapi.NewConfig()); !IsEmptyConfig(err) {
		t.Errorf("nothing: %v", err)
	}
	if err := ConfirmUsable(*clientcmdapi.NewConfig(), "x"); !IsEmptyConfig(err) {
		t.Errorf("nothing: %v", err)
	}
	config := mustLoad(t, sample)
	if err := ConfirmUsable(*config, "x"); !IsContextNotFound(err) || !IsConfigurationInvalid(err) {
		t.Errorf("no context: %v", err)
	}
	config.CurrentContext = "x"
	if err := Validate(*config); !IsContextNotFound(err) {
		t.Errorf("no current context: %v", err)
	}
	config.CurrentContext = ""
	if err := ConfirmUsable(*config, ""); err != ErrNoContext || !IsContextNotFound(err) || !IsConfigurationInvalid(err) {
		t.Errorf("no context chosen: %v", err)
	}
	config.Contexts[""] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	wantError(t, Validate(*config), `context of cluster "c" and user "u" has no name`)
	config.Clusters["nil"], config.AuthInfos["nil"], config.Contexts["nil"] = nil, nil, nil
	wantError(t, Validate(*config), `no server found for cluster "nil"`, `user was not specified for context "nil"`)
	if err := ConfirmUsable(*config, "nil"); !IsContextNotFound(err) {
		t.Errorf("a context that is nil: %v", err)
	}
	plain := validateClusterInfo("", clientcmdapi.Cluster{})
	wantError(t, errors.Join(plain...), "default cluster has no server defined")
}

func TestErrorClasses(t *testing.T) {
	if IsEmptyConfig(nil) || IsContextNotFound(nil) || IsConfigurationInvalid(nil) {
		t.Error("no error is an error")
	}
	empty, missing := NewEmptyConfigError("e"), error(&errContextNotFound{"c"})
	other := errors.New("other")
	for _, c := range []struct {
		err                       error
		empty, noContext, invalid bool
	}{
		{other, false, false, false},
		{empty, true, false, false},
		{missing, false, true, true},
		{newErrConfigurationInvalid([]error{empty}), true, false, true},
		{newErrConfigurationInvalid([]error{empty, other}), false, false, true},
		{newErrConfigurationInvalid([]error{other, missing}), false, true, true},
		{fmt.Errorf("wrapped: %w", newErrConfigurationInvalid([]error{empty})), true, false, true},
		{errors.New("from afar: context was not found for specified context: x"), false, true, true},
	} {
		if IsEmptyConfig(c.err) != c.empty || IsContextNotFound(c.err) != c.noContext || IsConfigurationInvalid(c.err) != c.invalid {
			t.Errorf("%v: empty %t, no context %t, invalid %t", c.err, IsEmptyConfig(c.err), IsContextNotFound(c.err), IsConfigurationInvalid(c.err))
		}
	}
	both := newErrConfigurationInvalid([]error{other, fmt.Errorf("deep: %w", ErrEmptyCluster)})
	if !errors.Is(both, other) || !errors.Is(both, ErrEmptyCluster) || errors.Is(both, ErrNoContext) {
		t.Error("errors.Is does not look into the problems")
	}
	if aggregate, ok := both.(utilerrors.Aggregate); !ok || len(aggregate.Errors()) != 2 {
		t.Error("not an Aggregate")
	}
	if text := both.Error(); !strings.HasPrefix(text, "invalid configuration: [other, deep: ") {
		t.Error(text)
	}
}
