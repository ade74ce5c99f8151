package clientcmd

import (
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// Generators of configs as Load returns them: Extensions of entries are never nil, other empty maps and lists are.

var (
	anyText = rapid.OneOf(rapid.Just(""), rapid.SampledFrom([]string{"a", "b", "true", "~", "1.5", "*x", "- y", "é😀", " z ", "\"", "a: b", "#"}), rapid.StringN(0, 12, -1))
	anyName = rapid.SampledFrom([]string{"a", "b", "c", "d"})
	anyData = rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(data []byte) []byte {
		if len(data) == 0 {
			return nil
		}
		return data
	})
	anyTexts      = rapid.OneOf(rapid.Just([]string(nil)), rapid.SliceOfN(anyText, 1, 3))
	anyExtensions = rapid.MapOfN(anyName, rapid.Map(rapid.SampledFrom([]string{"", `{"a":1}`, "7", `"x"`, `[null,true]`}), func(json string) runtime.Object {
		if json == "" {
			return nil
		}
		return &runtime.Unknown{Raw: []byte(json), ContentType: runtime.ContentTypeJSON}
	}), 0, 2)

	anyCluster = rapid.Custom(func(t *rapid.T) *clientcmdapi.Cluster {
		return &clientcmdapi.Cluster{
			Server:                   anyText.Draw(t, "server"),
			TLSServerName:            anyText.Draw(t, "tls-server-name"),
			InsecureSkipTLSVerify:    rapid.Bool().Draw(t, "insecure"),
			CertificateAuthority:     anyText.Draw(t, "ca"),
			CertificateAuthorityData: anyData.Draw(t, "ca-data"),
			ProxyURL:                 anyText.Draw(t, "proxy"),
			DisableCompression:       rapid.Bool().Draw(t, "compression"),
			Extensions:               anyExtensions.Draw(t, "extensions"),
		}
	})
	anyContext = rapid.Custom(func(t *rapid.T) *clientcmdapi.Context {
		return &clientcmdapi.Context{
			Cluster: anyName.Draw(t, "cluster"), AuthInfo: anyName.Draw(t, "user"), Namespace: anyText.Draw(t, "namespace"),
			Extensions: anyExtensions.Draw(t, "extensions"),
		}
	})
	anyExec = rapid.Custom(func(t *rapid.T) *clientcmdapi.ExecConfig {
		return &clientcmdapi.ExecConfig{
			Command: anyText.Draw(t, "command"), Args: anyTexts.Draw(t, "args"), APIVersion: anyText.Draw(t, "version"),
			Env:         []clientcmdapi.ExecEnvVar{{Name: anyText.Draw(t, "name"), Value: anyText.Draw(t, "value")}},
			InstallHint: anyText.Draw(t, "hint"), ProvideClusterInfo: rapid.Bool().Draw(t, "info"),
			InteractiveMode: clientcmdapi.ExecInteractiveMode(anyText.Draw(t, "mode")),
		}
	})
	anyUser = rapid.Custom(func(t *rapid.T) *clientcmdapi.AuthInfo {
		user := &clientcmdapi.AuthInfo{
			ClientCertificate: anyText.Draw(t, "crt"), ClientCertificateData: anyData.Draw(t, "crt-data"),
			ClientKey: anyText.Draw(t, "key"), ClientKeyData: anyData.Draw(t, "key-data"),
			Token: anyText.Draw(t, "token"), TokenFile: anyText.Draw(t, "tokenFile"),
			Impersonate: anyText.Draw(t, "as"), ImpersonateUID: anyText.Draw(t, "as-uid"), ImpersonateGroups: anyTexts.Draw(t, "as-groups"),
			Username: anyText.Draw(t, "username"), Password: anyText.Draw(t, "password"),
			Extensions: anyExtensions.Draw(t, "extensions"),
		}
		if rapid.Bool().Draw(t, "extra") {
			user.ImpersonateUserExtra = map[string][]string{anyText.Draw(t, "key"): anyTexts.Draw(t, "values")}
		}
		if rapid.Bool().Draw(t, "has exec") {
			user.Exec = anyExec.Draw(t, "exec")
		}
		if rapid.Bool().Draw(t, "has provider") {
			user.AuthProvider = &clientcmdapi.AuthProviderConfig{Name: anyText.Draw(t, "provider")}
		}
		return user
	})
	anyConfig = rapid.Custom(func(t *rapid.T) *clientcmdapi.Config {
		config := &clientcmdapi.Config{
			CurrentContext: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "current"),
			Clusters:       rapid.MapOfN(anyName, anyCluster, 0, 3).Draw(t, "clusters"),
			AuthInfos:      rapid.MapOfN(anyName, anyUser, 0, 3).Draw(t, "users"),
			Contexts:       rapid.MapOfN(anyName, anyContext, 0, 3).Draw(t, "contexts"),
			Extensions:     anyExtensions.Draw(t, "extensions"),
		}
		config.Preferences.Colors = rapid.Bool().Draw(t, "colors")
		if extensions := anyExtensions.Draw(t, "preferences"); len(extensions) > 0 {
			config.Preferences.Extensions = extensions
		}
		return config
	})
)
