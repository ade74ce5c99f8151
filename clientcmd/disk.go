package clientcmd

import (
	"encoding/json"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// The on-disk format, version v1. What is a map in memory is a list of named entries here; each entry is decoded
// separately, so that an error can name it.

type diskConfig struct {
	Kind           string            `json:"kind,omitempty"`
	APIVersion     string            `json:"apiVersion,omitempty"`
	Preferences    diskPreferences   `json:"preferences,omitzero"`
	Clusters       []json.RawMessage `json:"clusters"`
	Users          []json.RawMessage `json:"users"`
	Contexts       []json.RawMessage `json:"contexts"`
	CurrentContext string            `json:"current-context"`
	Extensions     []json.RawMessage `json:"extensions,omitempty"`
}

type diskPreferences struct {
	Colors     bool              `json:"colors,omitempty"`
	Extensions []json.RawMessage `json:"extensions,omitempty"`
}

func (p diskPreferences) IsZero() bool { return !p.Colors && p.Extensions == nil }

type namedExtension struct {
	Name      string          `json:"name"`
	Extension json.RawMessage `json:"extension"`
}

type namedCluster struct {
	Name    string      `json:"name"`
	Cluster diskCluster `json:"cluster"`
}

// diskCluster is a Cluster whose outer fields hide those of the same name within.
type diskCluster struct {
	clientcmdapi.Cluster
	CertificateAuthorityData string            `json:"certificate-authority-data,omitempty"`
	Extensions               []json.RawMessage `json:"extensions,omitempty"`
}

type namedContext struct {
	Name    string      `json:"name"`
	Context diskContext `json:"context"`
}

// diskContext is a Context whose outer field hides that of the same name within.
type diskContext struct {
	clientcmdapi.Context
	Extensions []json.RawMessage `json:"extensions,omitempty"`
}

type namedUser struct {
	Name string   `json:"name"`
	User diskUser `json:"user"`
}

// diskUser is an AuthInfo, in which impersonation has other names.
type diskUser struct {
	ClientCertificate     string                   `json:"client-certificate,omitempty"`
	ClientCertificateData string                   `json:"client-certificate-data,omitempty"`
	ClientKey             string                   `json:"client-key,omitempty"`
	ClientKeyData         string                   `json:"client-key-data,omitempty"`
	Token                 string                   `json:"token,omitempty"`
	TokenFile             string                   `json:"tokenFile,omitempty"`
	Impersonate           string                   `json:"as,omitempty"`
	ImpersonateUID        string                   `json:"as-uid,omitempty"`
	ImpersonateGroups     []string                 `json:"as-groups,omitempty"`
	ImpersonateUserExtra  map[string][]string      `json:"as-user-extra,omitempty"`
	Username              string                   `json:"username,omitempty"`
	Password              string                   `json:"password,omitempty"`
	AuthProvider          *diskAuthProvider        `json:"auth-provider,omitempty"`
	Exec                  *clientcmdapi.ExecConfig `json:"exec,omitempty"`
	Extensions            []json.RawMessage        `json:"extensions,omitempty"`
}

// diskAuthProvider differs from the AuthProviderConfig in that an empty Config is written.
type diskAuthProvider struct {
	Name   string            `json:"name"`
	Config map[string]string `json:"config"`
}
