package clientcmd

// Names of flags, as kubectl has them.
const (
	FlagClusterName        = "cluster"
	FlagAuthInfoName       = "user"
	FlagContext            = "context"
	FlagNamespace          = "namespace"
	FlagAPIServer          = "server"
	FlagTLSServerName      = "tls-server-name"
	FlagInsecure           = "insecure-skip-tls-verify"
	FlagCertFile           = "client-certificate"
	FlagKeyFile            = "client-key"
	FlagCAFile             = "certificate-authority"
	FlagEmbedCerts         = "embed-certs"
	FlagBearerToken        = "token"
	FlagImpersonate        = "as"
	FlagImpersonateUID     = "as-uid"
	FlagImpersonateGroup   = "as-group"
	FlagUsername           = "username"
	FlagPassword           = "password"
	FlagTimeout            = "request-timeout"
	FlagProxyURL           = "proxy-url"
	FlagDisableCompression = "disable-compression"
)

// ConfigOverrideFlags are the flags for [ConfigOverrides].
type ConfigOverrideFlags struct {
	AuthOverrideFlags    AuthOverrideFlags
	ClusterOverrideFlags ClusterOverrideFlags
	ContextOverrideFlags ContextOverrideFlags
	CurrentContext       FlagInfo
	Timeout              FlagInfo
}

// AuthOverrideFlags are the flags for an AuthInfo.
type AuthOverrideFlags struct {
	ClientCertificate FlagInfo
	ClientKey         FlagInfo
	Token             FlagInfo
	Impersonate       FlagInfo
	ImpersonateUID    FlagInfo
	ImpersonateGroups FlagInfo
	Username          FlagInfo
	Password          FlagInfo
}

// ContextOverrideFlags are the flags for a Context.
type ContextOverrideFlags struct {
	ClusterName  FlagInfo
	AuthInfoName FlagInfo
	Namespace    FlagInfo
}

// ClusterOverrideFlags are the flags for a Cluster. APIVersion is no longer used.
type ClusterOverrideFlags struct {
	APIServer             FlagInfo
	APIVersion            FlagInfo
	CertificateAuthority  FlagInfo
	InsecureSkipTLSVerify FlagInfo
	TLSServerName         FlagInfo
	ProxyURL              FlagInfo
	DisableCompression    FlagInfo
}

// RecommendedConfigOverrideFlags returns the flags of kubectl, with a prefix before each name.
func RecommendedConfigOverrideFlags(prefix string) ConfigOverrideFlags {
	return ConfigOverrideFlags{
		AuthOverrideFlags:    RecommendedAuthOverrideFlags(prefix),
		ClusterOverrideFlags: RecommendedClusterOverrideFlags(prefix),
		ContextOverrideFlags: RecommendedContextOverrideFlags(prefix),
		CurrentContext:       flagInfo(prefix+FlagContext, "Name of the context in the kubeconfig to use"),
		Timeout: FlagInfo{
			LongName:    prefix + FlagTimeout,
			Default:     "0",
			Description: "How long a request to the server may take, with a unit (e.g. 1s, 2m, 3h). 0 means no limit",
		},
	}
}

// RecommendedAuthOverrideFlags returns the flags of kubectl, with a prefix before each name.
func RecommendedAuthOverrideFlags(prefix string) AuthOverrideFlags {
	return AuthOverrideFlags{
		ClientCertificate: flagInfo(prefix+FlagCertFile, "File with the client certificate for TLS"),
		ClientKey:         flagInfo(prefix+FlagKeyFile, "File with the key of the client certificate for TLS"),
		Token:             flagInfo(prefix+FlagBearerToken, "Bearer token for the API server"),
		Impersonate:       flagInfo(prefix+FlagImpersonate, "User to impersonate"),
		ImpersonateUID:    flagInfo(prefix+FlagImpersonateUID, "UID to impersonate"),
		ImpersonateGroups: flagInfo(prefix+FlagImpersonateGroup, "Group to impersonate; can be repeated"),
		Username:          flagInfo(prefix+FlagUsername, "User name for basic authentication"),
		Password:          flagInfo(prefix+FlagPassword, "Password for basic authentication"),
	}
}

// RecommendedClusterOverrideFlags returns the flags of kubectl, with a prefix before each name.
func RecommendedClusterOverrideFlags(prefix string) ClusterOverrideFlags {
	insecure := flagInfo(prefix+FlagInsecure, "Do not verify the server's certificate: the connection is insecure")
	insecure.Default = "false"
	return ClusterOverrideFlags{
		APIServer:             flagInfo(prefix+FlagAPIServer, "Address of the API server"),
		CertificateAuthority:  flagInfo(prefix+FlagCAFile, "File with the CA certificates for the server"),
		InsecureSkipTLSVerify: insecure,
		TLSServerName:         flagInfo(prefix+FlagTLSServerName, "Name in the server's certificate, if it differs from the host name"),
		ProxyURL:              flagInfo(prefix+FlagProxyURL, "URL of the proxy for requests to the server"),
		DisableCompression:    flagInfo(prefix+FlagDisableCompression, "Disable compression of responses"),
	}
}

// RecommendedContextOverrideFlags returns the flags of kubectl, with a prefix before each name.
func RecommendedContextOverrideFlags(prefix string) ContextOverrideFlags {
	namespace := flagInfo(prefix+FlagNamespace, "Namespace to work in")
	namespace.ShortName = "n"
	return ContextOverrideFlags{
		ClusterName:  flagInfo(prefix+FlagClusterName, "Name of the cluster in the kubeconfig to use"),
		AuthInfoName: flagInfo(prefix+FlagAuthInfoName, "Name of the user in the kubeconfig to use"),
		Namespace:    namespace,
	}
}

func flagInfo(name, description string) FlagInfo {
	return FlagInfo{LongName: name, Description: description}
}
