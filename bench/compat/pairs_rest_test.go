package compat

import (
	"maps"

	// The comparison loads these by their names; the imports keep them in go.mod.
	_ "k8s.io/client-go/rest"
	_ "k8s.io/client-go/rest/watch"
	_ "k8s.io/client-go/tools/clientcmd"
	_ "k8s.io/client-go/tools/clientcmd/api/latest"
	_ "k8s.io/client-go/transport"
	_ "k8s.io/client-go/util/flowcontrol"
	_ "k8s.io/client-go/util/retry"

	_ "vedette.dev/clientcmd"
	_ "vedette.dev/clientcmd/api/latest"
	_ "vedette.dev/rest/watch"
)

// restPairs are the packages between a program and the server.
var restPairs = []Pair{
	{Peer: "k8s.io/client-go/util/flowcontrol", Own: "vedette.dev/flowcontrol"},
	{Peer: "k8s.io/client-go/util/retry", Own: "vedette.dev/retry"},
	{Peer: "k8s.io/client-go/transport", Own: "vedette.dev/transport", Omitted: merge(
		omitted("certificates are read again when they change, not at intervals",
			"CertCallbackRefreshDuration"),
		omitted("they write to klog; NewLoggingRoundTripper writes to a slog.Logger",
			"DebugByContext", "DebugCurlCommand", "DebugDetailedTiming", "DebugJustURL", "DebugLevel", "DebugRequestHeaders", "DebugResponseHeaders", "DebugResponseStatus", "DebugURLTiming", "DebugWrappers", "NewDebuggingRoundTripper"),
		omitted("golang.org/x/oauth2 in a signature; BearerTokenFile does it without",
			"NewCachedFileTokenSource", "NewCachedTokenSource", "ResettableTokenSource", "ResettableTokenSourceWrapTransport", "TokenSourceWrapTransport"),
		omitted("files are always read again when they change",
			"TLSConfig.ReloadTLSFiles", "TLSConfig.ReloadCAFiles"),
	)},
	{Peer: "k8s.io/client-go/rest", Own: "vedette.dev/rest", Omitted: merge(
		omitted("auth providers were removed from Kubernetes",
			"AuthProvider", "Factory", "GetAuthProvider", "RegisterAuthProviderPlugin"),
		omitted("for authors of exec plugins, with types of another package",
			"ConfigToExecCluster", "ExecClusterToConfig"),
		omitted("nothing exported takes or returns them",
			"RetryAfter", "WithRetry"),
	)},
	{Peer: "k8s.io/client-go/rest/watch", Own: "vedette.dev/rest/watch"},
	{Peer: "k8s.io/client-go/tools/clientcmd", Own: "vedette.dev/clientcmd", Omitted: merge(
		omitted("types of tools/auth, for files that kubeconfig replaced",
			"AuthLoader", "NewDefaultAuthLoader", "NewPromptingAuthLoader", "PromptingAuthLoader"),
		omitted("they take an interface that *pflag.FlagSet satisfies",
			"BindAuthInfoFlags", "BindClusterFlags", "BindContextFlags", "BindOverrideFlags", "FlagInfo.AddSecretAnnotation", "FlagInfo.BindBoolFlag", "FlagInfo.BindStringArrayFlag", "FlagInfo.BindStringFlag", "FlagInfo.BindTransformingStringFlag"),
	)},
	{Peer: "k8s.io/client-go/tools/clientcmd/api", Own: "vedette.dev/clientcmd/api"},
	{Peer: "k8s.io/client-go/tools/clientcmd/api/v1", Own: "vedette.dev/clientcmd/api/v1"},
	{Peer: "k8s.io/client-go/tools/clientcmd/api/latest", Own: "vedette.dev/clientcmd/api/latest"},
}

// omitted gives one reason for several names.
func omitted(reason string, names ...string) map[string]string {
	m := map[string]string{}
	for _, name := range names {
		m[name] = reason
	}
	return m
}

func merge(parts ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}
