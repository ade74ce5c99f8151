package api

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/internal/plainurl"
)

// GoString returns String, so that %#v shows no secrets either.
func (in Config) GoString() string { return in.String() }

// String returns the Config without its secrets.
func (in Config) String() string {
	p := open("Config")
	p.field("CurrentContext", in.CurrentContext)
	p.field("Clusters", values(in.Clusters))
	p.field("AuthInfos", values(in.AuthInfos))
	p.field("Contexts", values(in.Contexts))
	p.field("Colors", in.Preferences.Colors)
	p.extensions(in.Extensions)
	return p.close()
}

// GoString returns String, so that %#v shows no secrets either.
func (in Cluster) GoString() string { return in.String() }

// String returns the Cluster without its certificates, and without passwords in addresses.
func (in Cluster) String() string {
	p := open("Cluster")
	p.field("LocationOfOrigin", in.LocationOfOrigin)
	p.field("Server", plainurl.Hide(in.Server))
	p.field("TLSServerName", in.TLSServerName)
	p.field("InsecureSkipTLSVerify", in.InsecureSkipTLSVerify)
	p.field("CertificateAuthority", in.CertificateAuthority)
	p.data("CertificateAuthorityData", in.CertificateAuthorityData)
	p.field("ProxyURL", plainurl.Hide(in.ProxyURL))
	p.field("DisableCompression", in.DisableCompression)
	p.extensions(in.Extensions)
	return p.close()
}

// GoString returns String, so that %#v shows no secrets either.
func (in AuthInfo) GoString() string { return in.String() }

// String returns the AuthInfo without its secrets.
func (in AuthInfo) String() string {
	p := open("AuthInfo")
	p.field("LocationOfOrigin", in.LocationOfOrigin)
	p.field("ClientCertificate", in.ClientCertificate)
	p.data("ClientCertificateData", in.ClientCertificateData)
	p.field("ClientKey", in.ClientKey)
	p.secret("ClientKeyData", len(in.ClientKeyData))
	p.secret("Token", len(in.Token))
	p.field("TokenFile", in.TokenFile)
	p.field("Impersonate", in.Impersonate)
	p.field("ImpersonateUID", in.ImpersonateUID)
	p.field("ImpersonateGroups", in.ImpersonateGroups)
	p.secret("ImpersonateUserExtra", len(in.ImpersonateUserExtra))
	p.field("Username", in.Username)
	p.secret("Password", len(in.Password))
	p.field("AuthProvider", in.AuthProvider)
	p.field("Exec", in.Exec)
	p.extensions(in.Extensions)
	return p.close()
}

// GoString returns String, so that %#v shows no secrets either.
func (in AuthProviderConfig) GoString() string { return in.String() }

// String returns the name of the provider only: its data are tokens.
func (in AuthProviderConfig) String() string {
	p := open("AuthProviderConfig")
	p.field("Name", in.Name)
	p.secret("Config", len(in.Config))
	return p.close()
}

// GoString returns String, so that %#v shows no secrets either.
func (in ExecConfig) GoString() string { return in.String() }

// String returns the command, but neither arguments nor environment: they may contain secrets.
func (in ExecConfig) String() string {
	p := open("ExecConfig")
	p.field("Command", in.Command)
	p.secret("Args", len(in.Args))
	p.secret("Env", len(in.Env))
	p.field("APIVersion", in.APIVersion)
	p.field("ProvideClusterInfo", in.ProvideClusterInfo)
	if in.Config != nil {
		p.secret("Config", 1)
	}
	p.field("InteractiveMode", in.InteractiveMode)
	p.field("StdinUnavailable", in.StdinUnavailable)
	p.field("PluginPolicy", in.PluginPolicy.PolicyType)
	return p.close()
}

// GoString returns String, so that %#v shows no secrets either.
func (in ExecEnvVar) GoString() string { return in.String() }

// String returns the name of the variable only.
func (in ExecEnvVar) String() string {
	p := open("ExecEnvVar")
	p.field("Name", in.Name)
	p.secret("Value", len(in.Value))
	return p.close()
}

const redacted = plainurl.Redacted

// printer writes the fields of a struct that are set.
type printer struct {
	strings.Builder
	separator string
}

func open(typeName string) *printer {
	p := &printer{}
	p.WriteString("api." + typeName + "{")
	return p
}

func (p *printer) close() string { return p.String() + "}" }

func (p *printer) raw(name, text string) {
	p.WriteString(p.separator + name + ": " + text)
	p.separator = ", "
}

func (p *printer) field(name string, value any) {
	switch v := reflect.ValueOf(value); {
	case v.IsZero(), v.Kind() == reflect.Map && v.Len() == 0:
	case v.Kind() == reflect.String:
		p.raw(name, fmt.Sprintf("%q", value))
	default:
		p.raw(name, fmt.Sprint(value))
	}
}

func (p *printer) secret(name string, length int) {
	if length > 0 {
		p.raw(name, redacted)
	}
}

func (p *printer) data(name string, data []byte) {
	if len(data) > 0 {
		p.raw(name, fmt.Sprintf("(%d bytes)", len(data)))
	}
}

// extensions prints the names only: the contents may be secret.
func (p *printer) extensions(m map[string]runtime.Object) {
	if len(m) > 0 {
		p.raw("Extensions", fmt.Sprintf("%q", slices.Sorted(maps.Keys(m))))
	}
}

// values makes fmt show what the pointers of a map point to.
func values[V any](m map[string]*V) map[string]V {
	out := make(map[string]V, len(m))
	for name, v := range m {
		if v != nil {
			out[name] = *v
		}
	}
	return out
}
