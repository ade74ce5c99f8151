package api

import "k8s.io/apimachinery/pkg/runtime"

// Config is a kubeconfig: clusters, users, and contexts that combine one of each. On disk the maps are lists of named
// entries; Load and Write of package clientcmd convert them.
type Config struct {
	Kind           string                    `json:"kind,omitempty"`
	APIVersion     string                    `json:"apiVersion,omitempty"`
	Preferences    Preferences               `json:"preferences,omitzero"`
	Clusters       map[string]*Cluster       `json:"clusters"`
	AuthInfos      map[string]*AuthInfo      `json:"users"`
	Contexts       map[string]*Context       `json:"contexts"`
	CurrentContext string                    `json:"current-context"`
	Extensions     map[string]runtime.Object `json:"extensions,omitempty"`
}

// Preferences are preferences of a command-line tool. They are not used here.
type Preferences struct {
	Colors     bool                      `json:"colors,omitempty"`
	Extensions map[string]runtime.Object `json:"extensions,omitempty"`
}

// Cluster is the address of an API server, and how to verify it.
type Cluster struct {
	// LocationOfOrigin is the file the entry came from. Relative paths are relative to its folder.
	LocationOfOrigin         string                    `json:"-"`
	Server                   string                    `json:"server"`
	TLSServerName            string                    `json:"tls-server-name,omitempty"`
	InsecureSkipTLSVerify    bool                      `json:"insecure-skip-tls-verify,omitempty"`
	CertificateAuthority     string                    `json:"certificate-authority,omitempty"`
	CertificateAuthorityData []byte                    `json:"certificate-authority-data,omitempty"`
	ProxyURL                 string                    `json:"proxy-url,omitempty"`
	DisableCompression       bool                      `json:"disable-compression,omitempty"`
	Extensions               map[string]runtime.Object `json:"extensions,omitempty"`
}

// AuthInfo are the credentials of a user.
type AuthInfo struct {
	// LocationOfOrigin is the file the entry came from. Relative paths are relative to its folder.
	LocationOfOrigin      string                    `json:"-"`
	ClientCertificate     string                    `json:"client-certificate,omitempty"`
	ClientCertificateData []byte                    `json:"client-certificate-data,omitempty"`
	ClientKey             string                    `json:"client-key,omitempty"`
	ClientKeyData         []byte                    `json:"client-key-data,omitempty" datapolicy:"security-key"`
	Token                 string                    `json:"token,omitempty" datapolicy:"token"`
	TokenFile             string                    `json:"tokenFile,omitempty"`
	Impersonate           string                    `json:"act-as,omitempty"`
	ImpersonateUID        string                    `json:"act-as-uid,omitempty"`
	ImpersonateGroups     []string                  `json:"act-as-groups,omitempty"`
	ImpersonateUserExtra  map[string][]string       `json:"act-as-user-extra,omitempty"`
	Username              string                    `json:"username,omitempty"`
	Password              string                    `json:"password,omitempty" datapolicy:"password"`
	AuthProvider          *AuthProviderConfig       `json:"auth-provider,omitempty"`
	Exec                  *ExecConfig               `json:"exec,omitempty"`
	Extensions            map[string]runtime.Object `json:"extensions,omitempty"`
}

// Context combines a cluster, a user and a default namespace under one name.
type Context struct {
	// LocationOfOrigin is the file the entry came from.
	LocationOfOrigin string                    `json:"-"`
	Cluster          string                    `json:"cluster"`
	AuthInfo         string                    `json:"user"`
	Namespace        string                    `json:"namespace,omitempty"`
	Extensions       map[string]runtime.Object `json:"extensions,omitempty"`
}

// AuthProviderConfig is the configuration of an auth provider, which were compiled into clients before exec plugins. It
// is read and written, but using it is an error.
type AuthProviderConfig struct {
	Name   string            `json:"name"`
	Config map[string]string `json:"config,omitempty"`
}

// ExecConfig is a program that prints credentials.
type ExecConfig struct {
	Command            string       `json:"command"`
	Args               []string     `json:"args"`
	Env                []ExecEnvVar `json:"env"`
	APIVersion         string       `json:"apiVersion,omitempty"`
	InstallHint        string       `json:"installHint,omitempty"`
	ProvideClusterInfo bool         `json:"provideClusterInfo"`
	// Config is the cluster's extension client.authentication.k8s.io/exec, handed to the program with
	// ProvideClusterInfo.
	Config                  runtime.Object      `json:"-"`
	InteractiveMode         ExecInteractiveMode `json:"interactiveMode,omitempty"`
	StdinUnavailable        bool                `json:"-"`
	StdinUnavailableMessage string              `json:"-"`
	PluginPolicy            PluginPolicy        `json:"-"`
}

// AllowlistEntry is a program that may be run: a path, or a name to be found in PATH.
type AllowlistEntry struct {
	Command string `json:"-"`
}

// PluginPolicy determines which exec plugins may run. The zero value allows all.
type PluginPolicy struct {
	PolicyType PolicyType       `json:"-"`
	Allowlist  []AllowlistEntry `json:"-"`
}

// PolicyType is the type of a PluginPolicy.
type PolicyType string

const (
	PluginPolicyAllowAll  PolicyType = "AllowAll"
	PluginPolicyDenyAll   PolicyType = "DenyAll"
	PluginPolicyAllowlist PolicyType = "Allowlist"
)

// ExecEnvVar is set in the environment of the plugin.
type ExecEnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ExecInteractiveMode determines whether the plugin may read standard input.
type ExecInteractiveMode string

const (
	NeverExecInteractiveMode       ExecInteractiveMode = "Never"
	IfAvailableExecInteractiveMode ExecInteractiveMode = "IfAvailable"
	AlwaysExecInteractiveMode      ExecInteractiveMode = "Always"
)
