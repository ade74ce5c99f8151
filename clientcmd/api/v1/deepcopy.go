package v1

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *Config) DeepCopyInto(out *Config) {
	*out = *in
	in.Preferences.DeepCopyInto(&out.Preferences)
	out.Clusters = copyEach(in.Clusters, (*NamedCluster).DeepCopyInto)
	out.AuthInfos = copyEach(in.AuthInfos, (*NamedAuthInfo).DeepCopyInto)
	out.Contexts = copyEach(in.Contexts, (*NamedContext).DeepCopyInto)
	out.Extensions = copyEach(in.Extensions, (*NamedExtension).DeepCopyInto)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *Preferences) DeepCopyInto(out *Preferences) {
	*out = *in
	out.Extensions = copyEach(in.Extensions, (*NamedExtension).DeepCopyInto)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *Cluster) DeepCopyInto(out *Cluster) {
	*out = *in
	out.CertificateAuthorityData = slices.Clone(in.CertificateAuthorityData)
	out.Extensions = copyEach(in.Extensions, (*NamedExtension).DeepCopyInto)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *AuthInfo) DeepCopyInto(out *AuthInfo) {
	*out = *in
	out.ClientCertificateData = slices.Clone(in.ClientCertificateData)
	out.ClientKeyData = slices.Clone(in.ClientKeyData)
	out.ImpersonateGroups = slices.Clone(in.ImpersonateGroups)
	out.ImpersonateUserExtra = copyExtra(in.ImpersonateUserExtra)
	out.AuthProvider = in.AuthProvider.DeepCopy()
	out.Exec = in.Exec.DeepCopy()
	out.Extensions = copyEach(in.Extensions, (*NamedExtension).DeepCopyInto)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *Context) DeepCopyInto(out *Context) {
	*out = *in
	out.Extensions = copyEach(in.Extensions, (*NamedExtension).DeepCopyInto)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *NamedCluster) DeepCopyInto(out *NamedCluster) {
	*out = *in
	in.Cluster.DeepCopyInto(&out.Cluster)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *NamedContext) DeepCopyInto(out *NamedContext) {
	*out = *in
	in.Context.DeepCopyInto(&out.Context)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *NamedAuthInfo) DeepCopyInto(out *NamedAuthInfo) {
	*out = *in
	in.AuthInfo.DeepCopyInto(&out.AuthInfo)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *NamedExtension) DeepCopyInto(out *NamedExtension) {
	*out = *in
	in.Extension.DeepCopyInto(&out.Extension)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *AuthProviderConfig) DeepCopyInto(out *AuthProviderConfig) {
	*out = *in
	out.Config = maps.Clone(in.Config)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *ExecConfig) DeepCopyInto(out *ExecConfig) {
	*out = *in
	out.Args = slices.Clone(in.Args)
	out.Env = slices.Clone(in.Env)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *ExecEnvVar) DeepCopyInto(out *ExecEnvVar) {
	*out = *in
}

// DeepCopy returns a copy that shares nothing with in.
func (in *Config) DeepCopy() *Config { return copyOf(in, (*Config).DeepCopyInto) }

// DeepCopy returns a copy that shares nothing with in.
func (in *Preferences) DeepCopy() *Preferences { return copyOf(in, (*Preferences).DeepCopyInto) }

// DeepCopy returns a copy that shares nothing with in.
func (in *Cluster) DeepCopy() *Cluster { return copyOf(in, (*Cluster).DeepCopyInto) }

// DeepCopy returns a copy that shares nothing with in.
func (in *AuthInfo) DeepCopy() *AuthInfo { return copyOf(in, (*AuthInfo).DeepCopyInto) }

// DeepCopy returns a copy that shares nothing with in.
func (in *Context) DeepCopy() *Context { return copyOf(in, (*Context).DeepCopyInto) }

// DeepCopy returns a copy that shares nothing with in.
func (in *NamedCluster) DeepCopy() *NamedCluster { return copyOf(in, (*NamedCluster).DeepCopyInto) }

// DeepCopy returns a copy that shares nothing with in.
func (in *NamedContext) DeepCopy() *NamedContext { return copyOf(in, (*NamedContext).DeepCopyInto) }

// DeepCopy returns a copy that shares nothing with in.
func (in *NamedAuthInfo) DeepCopy() *NamedAuthInfo { return copyOf(in, (*NamedAuthInfo).DeepCopyInto) }

// DeepCopy returns a copy that shares nothing with in.
func (in *NamedExtension) DeepCopy() *NamedExtension {
	return copyOf(in, (*NamedExtension).DeepCopyInto)
}

// DeepCopy returns a copy that shares nothing with in.
func (in *AuthProviderConfig) DeepCopy() *AuthProviderConfig {
	return copyOf(in, (*AuthProviderConfig).DeepCopyInto)
}

// DeepCopy returns a copy that shares nothing with in.
func (in *ExecConfig) DeepCopy() *ExecConfig { return copyOf(in, (*ExecConfig).DeepCopyInto) }

// DeepCopy returns a copy that shares nothing with in.
func (in *ExecEnvVar) DeepCopy() *ExecEnvVar { return copyOf(in, (*ExecEnvVar).DeepCopyInto) }

// DeepCopyObject implements runtime.Object.
func (in *Config) DeepCopyObject() runtime.Object {
	if in == nil {
		return nil
	}
	return in.DeepCopy()
}

func copyOf[T any](in *T, into func(in, out *T)) *T {
	if in == nil {
		return nil
	}
	out := new(T)
	into(in, out)
	return out
}

func copyEach[T any](in []T, into func(in, out *T)) []T {
	if in == nil {
		return nil
	}
	out := make([]T, len(in))
	for i := range in {
		into(&in[i], &out[i])
	}
	return out
}

func copyExtra(in map[string][]string) map[string][]string {
	out := maps.Clone(in)
	for key, values := range out {
		out[key] = slices.Clone(values)
	}
	return out
}
