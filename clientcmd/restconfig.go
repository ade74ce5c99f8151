package clientcmd

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	clientcmdapi "vedette.dev/clientcmd/api"
	restclient "vedette.dev/rest"
)

// execExtension is the extension of a cluster for the exec plugins of its users.
const execExtension = "client.authentication.k8s.io/exec"

// ClientConfig implements ClientConfig.
func (config *DirectClientConfig) ClientConfig() (*restclient.Config, error) {
	chosen := config.choose()
	// First of all: a missing name that was explicitly specified is the most useful error.
	if err := config.checkOverrides(chosen); err != nil {
		return nil, err
	}
	if err := config.ConfirmUsable(); err != nil {
		return nil, err
	}
	result := &restclient.Config{
		Host:               withoutQuery(chosen.cluster.Server),
		DisableCompression: chosen.cluster.DisableCompression,
	}
	if chosen.cluster.ProxyURL != "" {
		u, err := parseProxyURL(chosen.cluster.ProxyURL)
		if err != nil {
			return nil, fmt.Errorf("proxy-url of cluster %q: %w", chosen.context.Cluster, err)
		}
		result.Proxy = http.ProxyURL(u)
	}
	if timeout := config.over().Timeout; timeout != "" {
		d, err := ParseTimeout(timeout)
		if err != nil {
			return nil, err
		}
		result.Timeout = d
	}
	if chosen.user.Impersonate != "" {
		result.Impersonate = restclient.ImpersonationConfig{
			UserName: chosen.user.Impersonate,
			UID:      chosen.user.ImpersonateUID,
			Groups:   chosen.user.ImpersonateGroups,
			Extra:    chosen.user.ImpersonateUserExtra,
		}
	}
	// Credentials are not sent over an unencrypted connection.
	if restclient.IsConfigTransportTLS(*result) {
		if err := config.secure(result, chosen); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// withoutQuery removes the query of a URL, which cannot be part of a prefix. Hosts without a path are not changed.
func withoutQuery(host string) string {
	u, err := url.ParseRequestURI(host)
	if err != nil || u.Opaque != "" || len(u.Path) <= 1 {
		return host
	}
	u.RawQuery, u.Fragment = "", ""
	return u.String()
}

// secure sets TLS and the credentials.
func (config *DirectClientConfig) secure(result *restclient.Config, chosen choice) error {
	cluster, user := &chosen.cluster, &chosen.user
	result.TLSClientConfig = restclient.TLSClientConfig{
		CAFile:     cluster.CertificateAuthority,
		CAData:     cluster.CertificateAuthorityData,
		Insecure:   cluster.InsecureSkipTLSVerify,
		ServerName: cluster.TLSServerName,
	}
	if user.ClientCertificate != "" || len(user.ClientCertificateData) > 0 {
		result.CertFile, result.CertData = user.ClientCertificate, user.ClientCertificateData
		result.KeyFile, result.KeyData = user.ClientKey, user.ClientKeyData
	}
	result.BearerToken, result.BearerTokenFile = user.Token, user.TokenFile
	if user.Token == "" && user.TokenFile != "" {
		token, err := readFile(user.TokenFile)
		if err != nil {
			return fmt.Errorf("tokenFile of user %q: %w", chosen.context.AuthInfo, err)
		}
		result.BearerToken = strings.TrimSpace(string(token))
	}
	result.Username, result.Password = user.Username, user.Password
	if user.AuthProvider != nil {
		result.AuthProvider = user.AuthProvider.DeepCopy()
		if config.configAccess != nil {
			result.AuthConfigPersister = PersisterForUser(config.configAccess, chosen.context.AuthInfo)
		}
	}
	if user.Exec != nil {
		result.ExecProvider = execProvider(user.Exec, cluster)
	}
	if config.needsCredentials && !hasCredentials(result) {
		return fmt.Errorf("user %q has no credentials; set a token, a client certificate or an exec plugin", chosen.context.AuthInfo)
	}
	return nil
}

// execProvider returns a copy: the kubeconfig must not be modified.
func execProvider(exec *clientcmdapi.ExecConfig, cluster *clientcmdapi.Cluster) *clientcmdapi.ExecConfig {
	exec = exec.DeepCopy()
	exec.InstallHint = printable(exec.InstallHint)
	exec.Config = nil
	if extension := cluster.Extensions[execExtension]; extension != nil {
		exec.Config = extension.DeepCopyObject()
	}
	return exec
}

// printable escapes characters that could change the state of a terminal. White space is kept.
func printable(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r >= '\t' && r <= '\r' || unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z) {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, "%U", r)
		}
	}
	return out.String()
}

func hasCredentials(config *restclient.Config) bool {
	return config.Username != "" || config.CertFile != "" || len(config.CertData) > 0 || config.BearerToken != "" ||
		config.AuthProvider != nil || config.ExecProvider != nil
}
