package clientcmd

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// problems collects the problems of one entry.
type problems []error

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Errorf(format, args...)) }

// readable adds a problem if the file cannot be opened. An empty path is ignored.
func (p *problems) readable(field, path, entry string) {
	if path == "" {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		p.add("unable to read %s %v for %v due to %w", field, path, entry, err)
		return
	}
	f.Close()
}

func validateClusterInfo(name string, cluster clientcmdapi.Cluster) []error {
	if reflect.DeepEqual(*clientcmdapi.NewCluster(), cluster) {
		return []error{ErrEmptyCluster}
	}
	var p problems
	switch {
	case cluster.Server != "":
	case name == "":
		p.add("default cluster has no server defined")
	default:
		p.add("no server found for cluster %q", name)
	}
	if cluster.ProxyURL != "" {
		if _, err := parseProxyURL(cluster.ProxyURL); err != nil {
			p.add("invalid 'proxy-url' for cluster %q: %w", name, err)
		}
	}
	if cluster.CertificateAuthority != "" && len(cluster.CertificateAuthorityData) != 0 {
		p.add("certificate-authority-data and certificate-authority are both specified for %v: remove one of them", name)
	}
	p.readable("certificate-authority", cluster.CertificateAuthority, name)
	return p
}

// parseProxyURL does not include the URL in its error: it may contain a password.
func parseProxyURL(proxyURL string) (*url.URL, error) {
	if u, err := url.Parse(proxyURL); err == nil {
		switch u.Scheme {
		case "http", "https", "socks5":
			return u, nil
		}
	}
	return nil, errors.New("want http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT")
}

func validateAuthInfo(name string, user clientcmdapi.AuthInfo) []error {
	var p problems
	if user.Token != "" && (user.Username != "" || user.Password != "") {
		p.add("more than one authentication method found for %v; found [token basicAuth], only one is allowed", name)
	}
	if user.ClientCertificate != "" || len(user.ClientCertificateData) != 0 {
		validateClientCert(&p, name, user)
	}
	if user.Exec != nil {
		if user.AuthProvider != nil {
			p.add("authProvider cannot be provided in combination with an exec plugin for %s", name)
		}
		validateExec(&p, name, user.Exec)
	}
	if user.Impersonate == "" && (user.ImpersonateUID != "" || len(user.ImpersonateGroups) > 0 || len(user.ImpersonateUserExtra) > 0) {
		p.add("requesting uid, groups or user-extra for %v without impersonating a user", name)
	}
	return p
}

func validateClientCert(p *problems, name string, user clientcmdapi.AuthInfo) {
	if user.ClientCertificate != "" && len(user.ClientCertificateData) != 0 {
		p.add("client-cert-data and client-cert are both specified for %v: remove one of them", name)
	}
	switch file, data := user.ClientKey != "", len(user.ClientKeyData) != 0; {
	case file && data:
		p.add("client-key-data and client-key are both specified for %v: remove one of them", name)
	case !file && !data:
		p.add("client-key-data or client-key must be specified for %v to use the clientCert authentication method", name)
	}
	p.readable("client-cert", user.ClientCertificate, name)
	p.readable("client-key", user.ClientKey, name)
}

func validateExec(p *problems, name string, exec *clientcmdapi.ExecConfig) {
	const use = "must be specified for %v to use exec authentication plugin"
	if exec.Command == "" {
		p.add("command "+use, name)
	}
	if exec.APIVersion == "" {
		p.add("apiVersion "+use, name)
	}
	for _, v := range exec.Env {
		if v.Name == "" {
			p.add("env variable name "+use, name)
		}
	}
	switch exec.InteractiveMode {
	case clientcmdapi.NeverExecInteractiveMode, clientcmdapi.IfAvailableExecInteractiveMode, clientcmdapi.AlwaysExecInteractiveMode:
	case "":
		p.add("interactiveMode "+use, name)
	default:
		p.add("invalid interactiveMode for %v: %q", name, exec.InteractiveMode)
	}
	validatePolicy(p, name, exec.PluginPolicy)
}

// validatePolicy is strict: a mistake in a policy must not allow a plugin.
func validatePolicy(p *problems, name string, policy clientcmdapi.PluginPolicy) {
	switch policy.PolicyType {
	case "", clientcmdapi.PluginPolicyAllowAll, clientcmdapi.PluginPolicyDenyAll:
		if policy.Allowlist != nil {
			p.add("allowlist misconfiguration for %v: the plugin policy is %q, and only %q has an allowlist", name, policy.PolicyType, clientcmdapi.PluginPolicyAllowlist)
		}
	case clientcmdapi.PluginPolicyAllowlist:
		if len(policy.Allowlist) == 0 {
			p.add("allowlist misconfiguration for %v: the allowlist is empty; to allow nothing, use the policy %q", name, clientcmdapi.PluginPolicyDenyAll)
		}
		for i, entry := range policy.Allowlist {
			if entry.Command == "" {
				p.add("allowlist misconfiguration for %v: entry %d has no command", name, i+1)
			} else if clean := filepath.Clean(entry.Command); clean != entry.Command {
				p.add("allowlist misconfiguration for %v: entry %d is the path %q: write it as %q", name, i+1, entry.Command, clean)
			}
		}
	default:
		p.add("allowlist misconfiguration for %v: unknown plugin policy %q", name, policy.PolicyType)
	}
}
