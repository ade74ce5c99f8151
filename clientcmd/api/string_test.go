package api

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

const secret = "hunter2"

// secretive returns a Config that holds the secret in every place where there may be one.
func secretive() *Config {
	config := NewConfig()
	config.CurrentContext = "context"
	config.Clusters["cluster"] = &Cluster{
		Server:                   "https://user:" + secret + "@host/path",
		ProxyURL:                 "socks5://" + secret + ":" + secret + "@proxy:1080",
		CertificateAuthorityData: []byte("certificates"),
		InsecureSkipTLSVerify:    true,
	}
	config.AuthInfos["user"] = &AuthInfo{
		ClientCertificate:    "client.crt",
		ClientKeyData:        []byte(secret),
		Token:                secret,
		Username:             "somebody",
		Password:             secret,
		ImpersonateGroups:    []string{"group"},
		ImpersonateUserExtra: map[string][]string{"extra": {secret}},
		AuthProvider:         &AuthProviderConfig{Name: "provider", Config: map[string]string{"refresh-token": secret}},
		Exec: &ExecConfig{
			Command: "get-token",
			Args:    []string{"--password", secret},
			Env:     []ExecEnvVar{{Name: "PASSWORD", Value: secret}},
			Config:  NewConfig(),
		},
	}
	config.Contexts["context"] = &Context{Cluster: "cluster", AuthInfo: "user"}
	return config
}

func TestPrintingHidesSecrets(t *testing.T) {
	config := secretive()
	user, cluster := config.AuthInfos["user"], config.Clusters["cluster"]
	type holder struct {
		AuthInfo AuthInfo
		Users    []*AuthInfo
	}
	for _, v := range []any{
		config, *config, cluster, *cluster, user, *user, user.AuthProvider, *user.AuthProvider,
		user.Exec, *user.Exec, user.Exec.Env, user.Exec.Env[0],
		holder{*user, []*AuthInfo{user}}, map[string]Config{"a": *config}, []AuthInfo{*user},
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			text := fmt.Sprintf(verb, v)
			for _, form := range []string{secret, fmt.Sprint([]byte(secret)), fmt.Sprintf("%#v", []byte(secret)),
				fmt.Sprintf("%x", secret), base64.StdEncoding.EncodeToString([]byte(secret))} {
				if strings.Contains(text, form) {
					t.Errorf("%s of %T shows the secret: %s", verb, v, text)
				}
			}
		}
	}
}

func TestPrintingShowsTheRest(t *testing.T) {
	text := fmt.Sprint(secretive())
	for _, want := range []string{
		`CurrentContext: "context"`, `Server: "https://--- REDACTED ---@host/path"`, `ProxyURL: "socks5://--- REDACTED ---@proxy:1080"`,
		"CertificateAuthorityData: (12 bytes)", "InsecureSkipTLSVerify: true", `ClientCertificate: "client.crt"`,
		"Token: --- REDACTED ---", `Username: "somebody"`, "ImpersonateGroups: [group]", `Name: "provider"`,
		`Command: "get-token"`, "Args: --- REDACTED ---", "Env: --- REDACTED ---", "Config: --- REDACTED ---",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nis not in %s", want, text)
		}
	}
	if got, want := fmt.Sprintf("%v %v", AuthInfo{}, Config{}), "api.AuthInfo{} api.Config{}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestPrintingOfEveryField fills all fields with secrets and empties those that may be shown: a field that is added and
// shown fails here until that is decided.
func TestPrintingOfEveryField(t *testing.T) {
	user := filled[AuthInfo](t, secret)
	user.LocationOfOrigin, user.ClientCertificate, user.ClientKey, user.TokenFile = "", "", "", ""
	user.Impersonate, user.ImpersonateUID, user.ImpersonateGroups, user.Username = "", "", nil, ""
	user.AuthProvider.Name = ""
	user.Exec.Command, user.Exec.APIVersion, user.Exec.InteractiveMode, user.Exec.PluginPolicy.PolicyType = "", "", "", ""
	user.Extensions = nil
	if text := user.String(); strings.Contains(text, secret) {
		t.Error(text)
	}
	cluster := filled[Cluster](t, secret)
	cluster.LocationOfOrigin, cluster.Server, cluster.TLSServerName, cluster.CertificateAuthority, cluster.ProxyURL = "", "", "", "", ""
	cluster.Extensions = nil
	if text := cluster.String(); strings.Contains(text, secret) {
		t.Error(text)
	}
}
