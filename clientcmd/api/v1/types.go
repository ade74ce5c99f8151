// Package v1 has the types of a kubeconfig as it is on disk: named entries in lists, where package clientcmd/api has maps.
//
// Programs seldom need it: Load and Write of package clientcmd convert between files and clientcmd/api. A program that has
// the on-disk types in a file or API of its own can use them with the Scheme and Codec of clientcmd/api/latest.
package v1

import "k8s.io/apimachinery/pkg/runtime"

// Config is a kubeconfig.
type Config struct {
	Kind           string           `json:"kind,omitempty"`
	APIVersion     string           `json:"apiVersion,omitempty"`
	Preferences    Preferences      `json:"preferences,omitzero"`
	Clusters       []NamedCluster   `json:"clusters"`
	AuthInfos      []NamedAuthInfo  `json:"users"`
	Contexts       []NamedContext   `json:"contexts"`
	CurrentContext string           `json:"current-context"`
	Extensions     []NamedExtension `json:"extensions,omitempty"`
}

// Preferences are preferences of a command-line tool.
type Preferences struct {
	Colors     bool             `json:"colors,omitempty"`
	Extensions []NamedExtension `json:"extensions,omitempty"`
}

// Cluster is the address of an API server, and how to verify it.
type Cluster struct {
	Server                   string           `json:"server"`
	TLSServerName            string           `json:"tls-server-name,omitempty"`
	InsecureSkipTLSVerify    bool             `json:"insecure-skip-tls-verify,omitempty"`
	CertificateAuthority     string           `json:"certificate-authority,omitempty"`
	CertificateAuthorityData []byte           `json:"certificate-authority-data,omitempty"`
	ProxyURL                 string           `json:"proxy-url,omitempty"`
	DisableCompression       bool             `json:"disable-compression,omitempty"`
	Extensions               []NamedExtension `json:"extensions,omitempty"`
}

// AuthInfo are the credentials of a user.
type AuthInfo struct {
	ClientCertificate     string              `json:"client-certificate,omitempty"`
	ClientCertificateData []byte              `json:"client-certificate-data,omitempty"`
	ClientKey             string              `json:"client-key,omitempty"`
	ClientKeyData         []byte              `json:"client-key-data,omitempty" datapolicy:"security-key"`
	Token                 string              `json:"token,omitempty" datapolicy:"token"`
	TokenFile             string              `json:"tokenFile,omitempty"`
	Impersonate           string              `json:"as,omitempty"`
	ImpersonateUID        string              `json:"as-uid,omitempty"`
	ImpersonateGroups     []string            `json:"as-groups,omitempty"`
	ImpersonateUserExtra  map[string][]string `json:"as-user-extra,omitempty"`
	Username              string              `json:"username,omitempty"`
	Password              string              `json:"password,omitempty" datapolicy:"password"`
	AuthProvider          *AuthProviderConfig `json:"auth-provider,omitempty"`
	Exec                  *ExecConfig         `json:"exec,omitempty"`
	Extensions            []NamedExtension    `json:"extensions,omitempty"`
}

// Context combines a cluster, a user and a default namespace.
type Context struct {
	Cluster    string           `json:"cluster"`
	AuthInfo   string           `json:"user"`
	Namespace  string           `json:"namespace,omitempty"`
	Extensions []NamedExtension `json:"extensions,omitempty"`
}

// NamedCluster is an entry of the clusters.
type NamedCluster struct {
	Name    string  `json:"name"`
	Cluster Cluster `json:"cluster"`
}

// NamedContext is an entry of the contexts.
type NamedContext struct {
	Name    string  `json:"name"`
	Context Context `json:"context"`
}

// NamedAuthInfo is an entry of the users.
type NamedAuthInfo struct {
	Name     string   `json:"name"`
	AuthInfo AuthInfo `json:"user"`
}

// NamedExtension is something that another program keeps here.
type NamedExtension struct {
	Name      string               `json:"name"`
	Extension runtime.RawExtension `json:"extension"`
}

// AuthProviderConfig is the configuration of an auth provider.
type AuthProviderConfig struct {
	Name   string            `json:"name"`
	Config map[string]string `json:"config"`
}

// ExecConfig is a program that prints credentials.
type ExecConfig struct {
	Command            string              `json:"command"`
	Args               []string            `json:"args"`
	Env                []ExecEnvVar        `json:"env"`
	APIVersion         string              `json:"apiVersion,omitempty"`
	InstallHint        string              `json:"installHint,omitempty"`
	ProvideClusterInfo bool                `json:"provideClusterInfo"`
	InteractiveMode    ExecInteractiveMode `json:"interactiveMode,omitempty"`
}

// ExecEnvVar is set in the environment of the plugin.
type ExecEnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ExecInteractiveMode determines whether the plugin may read standard input.
type ExecInteractiveMode string

// The values of ExecInteractiveMode.
const (
	NeverExecInteractiveMode       ExecInteractiveMode = "Never"
	IfAvailableExecInteractiveMode ExecInteractiveMode = "IfAvailable"
	AlwaysExecInteractiveMode      ExecInteractiveMode = "Always"
)
