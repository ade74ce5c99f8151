package clientcmd

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	clientcmdapi "vedette.dev/clientcmd/api"
	restclient "vedette.dev/rest"
)

// pod makes the config believe that it is in a pod with a service account.
func pod(t *testing.T, config ClientConfig, namespace string) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	dir := t.TempDir()
	fileIn(t, dir, "token", "pod-token")
	if namespace != "" {
		fileIn(t, dir, "namespace", namespace+"\n")
	}
	in := config.(*DeferredLoadingClientConfig).inCluster.(*inCluster)
	in.folder = dir
	in.config = func() (*restclient.Config, error) {
		return &restclient.Config{Host: "https://10.0.0.1:443", BearerToken: "pod-token", BearerTokenFile: "/token", TLSClientConfig: restclient.TLSClientConfig{CAFile: "/ca"}}, nil
	}
}

func deferredOf(t *testing.T, text string, overrides *ConfigOverrides) ClientConfig {
	return NewNonInteractiveDeferredLoadingClientConfig(&ClientConfigLoadingRules{Precedence: []string{file(t, "config", text)}}, overrides)
}

func TestDeferredInPod(t *testing.T) {
	outside(t)
	noDefault := "clusters: [{name: c, cluster: {server: 'http://localhost:8080'}}]\ncontexts: [{name: a, context: {cluster: c}}]\ncurrent-context: a"
	for name, c := range map[string]struct {
		text      string
		overrides *ConfigOverrides
		host      string
	}{
		"no kubeconfig":             {"", &ConfigOverrides{}, "https://10.0.0.1:443"},
		"a kubeconfig":              {sample, &ConfigOverrides{}, "https://prod.example:6443"},
		"what looks like a default": {noDefault, &ConfigOverrides{}, "http://localhost:8080"},
		"no overrides at all":       {"", nil, "https://10.0.0.1:443"},
		"overrides of the server":   {"", &ConfigOverrides{ClusterInfo: clientcmdapi.Cluster{Server: "https://flag"}}, "https://flag"},
	} {
		t.Run(name, func(t *testing.T) {
			deferred := deferredOf(t, c.text, c.overrides)
			pod(t, deferred, "")
			config, err := deferred.ClientConfig()
			if err != nil || config.Host != c.host {
				t.Errorf("%v, %v", config, err)
			}
		})
	}
}

func TestDeferredDefaultGivesWayToPod(t *testing.T) {
	outside(t)
	overrides := &ConfigOverrides{ClusterDefaults: ClusterDefaults}
	rules := &ClientConfigLoadingRules{DefaultClientConfig: &DefaultClientConfig}
	deferred := NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	if config, err := deferred.ClientConfig(); err != nil || config.Host != ClusterDefaults.Server {
		t.Errorf("outside: %v, %v", config, err)
	}
	pod(t, deferred, "")
	if config, err := deferred.ClientConfig(); err != nil || config.BearerToken != "pod-token" {
		t.Errorf("in a pod: %v, %v", config, err)
	}
	overrides.ClusterInfo.Server = "https://other"
	if config, err := deferred.ClientConfig(); err != nil || config.Host != "https://other" || config.BearerToken != "" {
		t.Errorf("another server: %v, %v", config, err)
	}
	rules.DefaultClientConfig = &DirectClientConfig{}
	if rules.IsDefaultConfig(&restclient.Config{}) {
		t.Error("a default that cannot be made is equal to something")
	}
}

func TestDeferredBrokenKubeconfigDoesNotGiveWayToPod(t *testing.T) {
	outside(t)
	for name, text := range map[string]string{
		"no YAML":         "a: b: c",
		"unknown context": "current-context: x",
		"unknown cluster": "contexts: [{name: a, context: {cluster: c}}]\ncurrent-context: a",
	} {
		deferred := deferredOf(t, text, nil)
		pod(t, deferred, "")
		if config, err := deferred.ClientConfig(); err == nil {
			t.Errorf("%s: %v", name, config)
		}
		if ns, _, err := deferred.Namespace(); err == nil {
			t.Errorf("%s: namespace %s", name, ns)
		}
	}
}

func TestInClusterOverrides(t *testing.T) {
	outside(t)
	overrides := &ConfigOverrides{
		AuthInfo:    clientcmdapi.AuthInfo{TokenFile: "/flag/token"},
		ClusterInfo: clientcmdapi.Cluster{Server: "https://flag", CertificateAuthority: "/flag/ca"},
	}
	deferred := deferredOf(t, "", overrides).(*DeferredLoadingClientConfig)
	pod(t, deferred, "")
	config, err := deferred.inCluster.ClientConfig()
	want := &restclient.Config{Host: "https://flag", BearerTokenFile: "/flag/token", TLSClientConfig: restclient.TLSClientConfig{CAFile: "/flag/ca"}}
	if err != nil || !reflect.DeepEqual(config, want) {
		t.Errorf("%+v, %v", config, err)
	}
	broken := errors.New("broken")
	deferred.inCluster.(*inCluster).config = func() (*restclient.Config, error) { return nil, broken }
	if _, err := deferred.inCluster.ClientConfig(); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := deferred.inCluster.RawConfig(); err == nil {
		t.Error("a pod has a kubeconfig")
	}
	if deferred.inCluster.ConfigAccess() == nil {
		t.Error("no access")
	}
}

func TestDeferredNamespace(t *testing.T) {
	outside(t)
	explicit := "clusters: [{name: c, cluster: {server: 'https://x'}}]\ncontexts: [{name: a, context: {cluster: c, namespace: default}}]\ncurrent-context: a"
	for name, c := range map[string]struct {
		text       string
		overrides  *ConfigOverrides
		file, env  string
		want       string
		overridden bool
	}{
		"override":                {sample, &ConfigOverrides{Context: clientcmdapi.Context{Namespace: "flag"}}, "pod", "", "flag", true},
		"context":                 {sample, &ConfigOverrides{}, "pod", "", "team", false},
		"default in the file":     {explicit, nil, "pod", "", "default", false},
		"another context":         {sample, &ConfigOverrides{CurrentContext: "bare"}, "pod", "", "pod", false},
		"pod, by file":            {"", nil, "pod", "", "pod", false},
		"pod, by variable":        {"", nil, "pod", "downward", "downward", false},
		"pod that says nothing":   {"", nil, "", "", "default", false},
		"pod with an empty file":  {"", nil, " ", "", "default", false},
		"pod, context without ns": {"clusters: [{name: c, cluster: {server: 'https://x'}}]\ncontexts: [{name: a, context: {cluster: c}}]\ncurrent-context: a", nil, "pod", "", "pod", false},
	} {
		t.Run(name, func(t *testing.T) {
			deferred := deferredOf(t, c.text, c.overrides)
			pod(t, deferred, c.file)
			t.Setenv("POD_NAMESPACE", c.env)
			ns, overridden, err := deferred.Namespace()
			if ns != c.want || overridden != c.overridden || err != nil {
				t.Errorf("%q, %t, %v", ns, overridden, err)
			}
		})
	}
	if _, _, err := deferredOf(t, "", nil).Namespace(); !IsEmptyConfig(err) {
		t.Errorf("no kubeconfig and no pod: %v", err)
	}
}

func TestDeferredLoadsOnceAndLate(t *testing.T) {
	outside(t)
	rules, overrides := &ClientConfigLoadingRules{}, &ConfigOverrides{}
	deferred := NewInteractiveDeferredLoadingClientConfig(rules, overrides, nil)
	rules.ExplicitPath = filepath.Join(t.TempDir(), "missing")
	if _, err := deferred.RawConfig(); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
	rules.ExplicitPath = file(t, "config", sample)
	overrides.CurrentContext = "local"
	if config, err := deferred.ClientConfig(); err != nil || config.Host != "http://localhost:8080" {
		t.Errorf("%v, %v", config, err)
	}
	rules.ExplicitPath = ""
	if raw, err := deferred.RawConfig(); err != nil || raw.CurrentContext != "prod" {
		t.Errorf("it loads again: %v, %v", raw, err)
	}
	if deferred.ConfigAccess() != rules {
		t.Error("another access")
	}
}
