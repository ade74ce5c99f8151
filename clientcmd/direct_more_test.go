package clientcmd

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	clientcmdapi "vedette.dev/clientcmd/api"
)

func TestClientConfigErrors(t *testing.T) {
	for name, c := range map[string]struct {
		text      string
		overrides *ConfigOverrides
		want      []string
		empty     bool
		noContext bool
		invalid   bool
	}{
		"nothing":                    {"", nil, []string{"invalid configuration: no configuration has been provided"}, true, false, true},
		"only a context":             {"contexts: [{name: a}]\ncurrent-context: a", nil, []string{"no configuration"}, true, false, true},
		"unknown current-context":    {"current-context: a", nil, []string{"context was not found for specified context: a"}, false, true, true},
		"unknown context":            {sample, &ConfigOverrides{CurrentContext: "a"}, []string{`context "a" does not exist`}, false, false, false},
		"unknown user":               {sample, &ConfigOverrides{Context: clientcmdapi.Context{AuthInfo: "a"}}, []string{`auth info "a" does not exist`}, false, false, false},
		"unknown cluster":            {sample, &ConfigOverrides{Context: clientcmdapi.Context{Cluster: "a"}}, []string{`cluster "a" does not exist`}, false, false, false},
		"context without its user":   {"clusters: [{name: c, cluster: {server: 'https://x'}}]\ncontexts: [{name: a, context: {cluster: c, user: u}}]\ncurrent-context: a", nil, []string{`user "u" was not found for context "a"`}, false, false, true},
		"without its cluster":        {"users: [{name: u}]\ncontexts: [{name: a, context: {cluster: c, user: u}}]\ncurrent-context: a", nil, []string{`cluster "c" was not found for context "a"`}, false, false, true},
		"cluster without a server":   {"clusters: [{name: c, cluster: {tls-server-name: x}}]\ncontexts: [{name: a, context: {cluster: c}}]\ncurrent-context: a", nil, []string{`no server found for cluster "c"`}, false, false, true},
		"timeout":                    {sample, &ConfigOverrides{Timeout: "soon"}, []string{`invalid timeout "soon"`}, false, false, false},
		"proxy":                      {sample, &ConfigOverrides{ClusterInfo: clientcmdapi.Cluster{ProxyURL: "ftp://x"}}, []string{"invalid 'proxy-url'", `"prod"`, "socks5"}, false, false, true},
		"token file":                 {sample, &ConfigOverrides{CurrentContext: "bare", AuthInfo: clientcmdapi.AuthInfo{TokenFile: "/nowhere/token"}}, []string{"tokenFile of user", "/nowhere/token"}, false, false, false},
		"many problems are all told": {sample, &ConfigOverrides{AuthInfo: clientcmdapi.AuthInfo{Password: "p", ClientCertificate: "/nowhere/c"}, ClusterInfo: clientcmdapi.Cluster{CertificateAuthority: "/nowhere/ca"}}, []string{"more than one authentication method", "client-key-data or client-key", "/nowhere/c ", "/nowhere/ca"}, false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			direct := NewDefaultClientConfig(*mustLoad(t, c.text), c.overrides)
			config, err := direct.ClientConfig()
			if config != nil {
				t.Error("there is a config")
			}
			wantError(t, err, c.want...)
			if got := IsEmptyConfig(err); got != c.empty {
				t.Errorf("IsEmptyConfig: %t", got)
			}
			if got := IsContextNotFound(err); got != c.noContext {
				t.Errorf("IsContextNotFound: %t", got)
			}
			if got := IsConfigurationInvalid(err); got != c.invalid {
				t.Errorf("IsConfigurationInvalid: %t", got)
			}
		})
	}
}

func TestDanglingUserWithCredentialsFromFlags(t *testing.T) {
	config := mustLoad(t, sample)
	delete(config.AuthInfos, "token")
	overrides := &ConfigOverrides{AuthInfo: clientcmdapi.AuthInfo{Token: "flag"}}
	rest, err := NewDefaultClientConfig(*config, overrides).ClientConfig()
	if err != nil || rest.BearerToken != "flag" {
		t.Errorf("%v, %v", rest, err)
	}
	delete(config.Clusters, "prod")
	overrides.ClusterInfo.Server = "https://flag"
	if rest, err = NewDefaultClientConfig(*config, overrides).ClientConfig(); err != nil || rest.Host != "https://flag" {
		t.Errorf("%v, %v", rest, err)
	}
}

func TestNamespace(t *testing.T) {
	override := &ConfigOverrides{Context: clientcmdapi.Context{Namespace: "flag"}}
	for name, c := range map[string]struct {
		text, context string
		overrides     *ConfigOverrides
		want          string
		overridden    bool
	}{
		"override":           {sample, "", override, "flag", true},
		"override, no files": {"", "", override, "flag", true},
		"context":            {sample, "prod", nil, "team", false},
		"neither":            {sample, "local", nil, "default", false},
	} {
		ns, overridden, err := NewNonInteractiveClientConfig(*mustLoad(t, c.text), c.context, c.overrides, nil).Namespace()
		if ns != c.want || overridden != c.overridden || err != nil {
			t.Errorf("%s: %q, %t, %v", name, ns, overridden, err)
		}
	}
	if _, _, err := NewNonInteractiveClientConfig(*mustLoad(t, ""), "", nil, nil).Namespace(); !IsEmptyConfig(err) {
		t.Errorf("no files: %v", err)
	}
	if _, _, err := NewNonInteractiveClientConfig(*mustLoad(t, sample), "", &ConfigOverrides{CurrentContext: "x"}, nil).Namespace(); err == nil {
		t.Error("an unknown context has a namespace")
	}
}

func TestMergedRawConfig(t *testing.T) {
	config := mustLoad(t, sample)
	overrides := &ConfigOverrides{
		CurrentContext: "local",
		AuthInfo:       clientcmdapi.AuthInfo{Token: "flag"},
		ClusterInfo:    clientcmdapi.Cluster{Server: "https://flag"},
		Context:        clientcmdapi.Context{Namespace: "flag"},
	}
	got, err := NewDefaultClientConfig(*config, overrides).MergedRawConfig()
	if err != nil {
		t.Fatal(err)
	}
	want := mustLoad(t, sample)
	want.CurrentContext = "local"
	want.AuthInfos["token"].Token, want.AuthInfos["token"].ImpersonateUserExtra = "flag", map[string][]string{}
	want.Clusters["local"].Server = "https://flag"
	want.Contexts["local"].Namespace = "flag"
	if !reflect.DeepEqual(&got, want) {
		t.Errorf("got  %+v\nwant %+v", got, *want)
	}
	if _, err := NewDefaultClientConfig(*mustLoad(t, ""), nil).MergedRawConfig(); !IsEmptyConfig(err) {
		t.Errorf("nothing: %v", err)
	}
	if _, err := NewDefaultClientConfig(*config, &ConfigOverrides{CurrentContext: "x"}).MergedRawConfig(); err == nil {
		t.Error("an unknown context is merged")
	}
	server := &ConfigOverrides{ClusterInfo: clientcmdapi.Cluster{Server: "https://flag"}}
	if got, err := NewDefaultClientConfig(clientcmdapi.Config{}, server).MergedRawConfig(); err != nil || got.Clusters[""].Server != "https://flag" {
		t.Errorf("an empty config and a server: %+v, %v", got, err)
	}
}

func TestZeroDirectClientConfig(t *testing.T) {
	var direct DirectClientConfig
	if _, err := direct.ClientConfig(); !IsEmptyConfig(err) {
		t.Error(err)
	}
	if raw, err := direct.RawConfig(); err != nil || !clientcmdapi.IsConfigEmpty(&raw) || direct.ConfigAccess() != nil {
		t.Errorf("%v, %v", raw, err)
	}
}

func TestDefaultClientConfig(t *testing.T) {
	config, err := DefaultClientConfig.ClientConfig()
	if err != nil || config.Host != ClusterDefaults.Server {
		t.Errorf("%v, %v", config, err)
	}
	t.Setenv("KUBERNETES_MASTER", "https://master")
	if got := defaultServer(); got != "https://master" {
		t.Error(got)
	}
}

func TestParseTimeout(t *testing.T) {
	for text, want := range map[string]time.Duration{"0": 0, "5": 5 * time.Second, "1m30s": 90 * time.Second, "100ms": 100 * time.Millisecond} {
		if got, err := ParseTimeout(text); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-1", "-1s", "x", "1 s", "99999999999999999999", "9999999999999"} {
		if got, err := ParseTimeout(text); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestFromBytes(t *testing.T) {
	config, err := RESTConfigFromKubeConfig([]byte(sample))
	if err != nil || config.Host != "https://prod.example:6443" || config.BearerToken != "s3cret" {
		t.Errorf("%v, %v", config, err)
	}
	if _, err := RESTConfigFromKubeConfig([]byte("a: b: c")); err == nil {
		t.Error("what is not YAML is accepted")
	}
	if direct, err := NewClientConfigFromBytes([]byte(sample)); err != nil || direct.ConfigAccess() != nil {
		t.Errorf("%v, %v", direct, err)
	}
}

// TestCertificateFilesAreOnlyNamed: the code that makes the connection reads and checks what is in them.
func TestCertificateFilesAreOnlyNamed(t *testing.T) {
	dir := t.TempDir()
	fileIn(t, dir, "ca", "not PEM")
	path := fileIn(t, dir, "config", "clusters: [{name: c, cluster: {server: 'https://x', certificate-authority: ca}}]\ncontexts: [{name: a, context: {cluster: c}}]\ncurrent-context: a")
	config, err := BuildConfigFromFlags("", path)
	if err != nil || config.CAFile != filepath.Join(dir, "ca") {
		t.Errorf("%v, %v", config, err)
	}
	if err := os.Remove(filepath.Join(dir, "ca")); err != nil {
		t.Fatal(err)
	}
	_, err = BuildConfigFromFlags("", path)
	wantError(t, err, "unable to read certificate-authority", filepath.Join(dir, "ca"))
}
