package clientcmd

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	clientcmdapi "vedette.dev/clientcmd/api"
)

const hidden = "hunter2"

// TestErrorsHideSecrets corrupts a kubeconfig in many ways, and looks for its secrets in what is said about it.
func TestErrorsHideSecrets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]string{
			hidden, "*" + hidden, "&" + hidden, "!" + hidden, "!!int " + hidden, "!!float " + hidden, "!!binary " + hidden, "[" + hidden,
			"{" + hidden + ": 1", "? " + hidden, "%" + hidden, "@" + hidden, "`" + hidden, `"` + hidden, "'" + hidden, "| " + hidden,
			"> " + hidden, hidden + ": x", "- " + hidden, "{? [" + hidden + "] : " + hidden + "}", "\t" + hidden, `"\` + hidden + `"`,
			"!!map " + hidden, "&a [*a, " + hidden + "]", "<<: " + hidden, "{<<: " + hidden + "}", "{1.5: {[a]: " + hidden + "}}",
		}).Draw(t, "value")
		field := rapid.SampledFrom([]string{
			"token", "password", "client-key-data", "client-certificate-data", "exec", "auth-provider", "as-groups", "as-user-extra",
			"tokenFile", "extensions",
		}).Draw(t, "field")
		tail := rapid.SampledFrom([]string{"", "\n  x", "\n      y: z", "\n- name: u", "\n\x00"}).Draw(t, "tail")
		text := fmt.Sprintf("users:\n- name: u\n  user:\n    %s: %s%s\n", field, value, tail)
		if _, err := Load([]byte(text)); err != nil && strings.Contains(err.Error(), hidden) {
			t.Fatalf("%s\nof\n%s", err, text)
		}
	})
}

func TestProblemsHideSecrets(t *testing.T) {
	config := mustLoad(t, sample)
	config.Clusters["prod"].ProxyURL = "ftp://user:" + hidden + "@proxy"
	config.AuthInfos["token"] = &clientcmdapi.AuthInfo{
		Token: hidden, Password: hidden, ClientCertificateData: []byte(hidden), ImpersonateUID: "x",
		Exec:         &clientcmdapi.ExecConfig{Args: []string{hidden}, Env: []clientcmdapi.ExecEnvVar{{Value: hidden}}},
		AuthProvider: &clientcmdapi.AuthProviderConfig{Config: map[string]string{"t": hidden}},
	}
	config.Contexts[""] = &clientcmdapi.Context{}
	errs := []error{
		Validate(*config), ConfirmUsable(*config, ""), RelativizeAuthInfoLocalPaths(config.AuthInfos["token"]),
		RelativizeClusterLocalPaths(&clientcmdapi.Cluster{Server: "https://u:" + hidden + "@host"}),
	}
	for _, proxy := range []string{"http://u:" + hidden, "http://" + hidden + " x@y", ":" + hidden, hidden + "://x", "http://u:p%" + hidden + "@h"} {
		_, err := parseProxyURL(proxy)
		errs = append(errs, err)
	}
	overrides := &ConfigOverrides{AuthInfo: *config.AuthInfos["token"]}
	_, err := NewDefaultClientConfig(*config, overrides).ClientConfig()
	for _, err := range append(errs, err) {
		if err != nil && strings.Contains(err.Error(), hidden) {
			t.Error(err)
		}
	}
}

func TestPrintingHidesSecrets(t *testing.T) {
	config := mustLoad(t, sample)
	config.AuthInfos["token"].Token = hidden
	overrides := &ConfigOverrides{AuthInfo: clientcmdapi.AuthInfo{Token: hidden, Password: hidden}}
	direct := NewDefaultClientConfig(*config, overrides)
	if _, err := direct.ClientConfig(); err == nil || strings.Contains(err.Error(), hidden) {
		t.Fatalf("token and password: %v", err)
	}
	overrides.AuthInfo.Password = ""
	rest, err := direct.ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	deferred := NewNonInteractiveDeferredLoadingClientConfig(&ClientConfigGetter{func() (*clientcmdapi.Config, error) { return config, nil }}, overrides)
	if _, err := deferred.ClientConfig(); err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{direct, overrides, *overrides, deferred, rest, config} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if text := fmt.Sprintf(verb, v); strings.Contains(text, hidden) {
				t.Errorf("%s of %T: %s", verb, v, text)
			}
		}
	}
}
