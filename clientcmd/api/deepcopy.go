package api

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *Config) DeepCopyInto(out *Config) {
	*out = *in
	in.Preferences.DeepCopyInto(&out.Preferences)
	out.Clusters = copyEach(in.Clusters, (*Cluster).DeepCopy)
	out.AuthInfos = copyEach(in.AuthInfos, (*AuthInfo).DeepCopy)
	out.Contexts = copyEach(in.Contexts, (*Context).DeepCopy)
	out.Extensions = copyEach(in.Extensions, copyObject)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *Preferences) DeepCopyInto(out *Preferences) {
	*out = *in
	out.Extensions = copyEach(in.Extensions, copyObject)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *Cluster) DeepCopyInto(out *Cluster) {
	*out = *in
	out.CertificateAuthorityData = slices.Clone(in.CertificateAuthorityData)
	out.Extensions = copyEach(in.Extensions, copyObject)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *AuthInfo) DeepCopyInto(out *AuthInfo) {
	*out = *in
	out.ClientCertificateData = slices.Clone(in.ClientCertificateData)
	out.ClientKeyData = slices.Clone(in.ClientKeyData)
	out.ImpersonateGroups = slices.Clone(in.ImpersonateGroups)
	out.ImpersonateUserExtra = copyEach(in.ImpersonateUserExtra, slices.Clone)
	out.AuthProvider = in.AuthProvider.DeepCopy()
	out.Exec = in.Exec.DeepCopy()
	out.Extensions = copyEach(in.Extensions, copyObject)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *Context) DeepCopyInto(out *Context) {
	*out = *in
	out.Extensions = copyEach(in.Extensions, copyObject)
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
	out.Config = copyObject(in.Config)
	in.PluginPolicy.DeepCopyInto(&out.PluginPolicy)
}

// DeepCopyInto copies in to out, and shares nothing with it.
func (in *PluginPolicy) DeepCopyInto(out *PluginPolicy) {
	*out = *in
	out.Allowlist = slices.Clone(in.Allowlist)
}

// DeepCopyInto copies in to out.
func (in *ExecEnvVar) DeepCopyInto(out *ExecEnvVar) { *out = *in }

// DeepCopyInto copies in to out.
func (in *AllowlistEntry) DeepCopyInto(out *AllowlistEntry) { *out = *in }

// The DeepCopy methods return a copy that shares nothing with its original, and nil for nil.

// DeepCopyObject makes Config a runtime.Object.
func (in *Config) DeepCopyObject() runtime.Object {
	if in == nil {
		return nil
	}
	return in.DeepCopy()
}

func (in *Config) DeepCopy() *Config           { return deepCopy(in, in.DeepCopyInto) }
func (in *Preferences) DeepCopy() *Preferences { return deepCopy(in, in.DeepCopyInto) }
func (in *Cluster) DeepCopy() *Cluster         { return deepCopy(in, in.DeepCopyInto) }
func (in *AuthInfo) DeepCopy() *AuthInfo       { return deepCopy(in, in.DeepCopyInto) }
func (in *Context) DeepCopy() *Context         { return deepCopy(in, in.DeepCopyInto) }
func (in *ExecConfig) DeepCopy() *ExecConfig   { return deepCopy(in, in.DeepCopyInto) }
func (in *ExecEnvVar) DeepCopy() *ExecEnvVar   { return deepCopy(in, in.DeepCopyInto) }

func (in *AuthProviderConfig) DeepCopy() *AuthProviderConfig { return deepCopy(in, in.DeepCopyInto) }
func (in *PluginPolicy) DeepCopy() *PluginPolicy             { return deepCopy(in, in.DeepCopyInto) }
func (in *AllowlistEntry) DeepCopy() *AllowlistEntry         { return deepCopy(in, in.DeepCopyInto) }

func deepCopy[T any](in *T, into func(*T)) *T {
	if in == nil {
		return nil
	}
	out := new(T)
	into(out)
	return out
}

func copyEach[V any](in map[string]V, clone func(V) V) map[string]V {
	if in == nil {
		return nil
	}
	out := make(map[string]V, len(in))
	for name, v := range in {
		out[name] = clone(v)
	}
	return out
}

func copyObject(in runtime.Object) runtime.Object {
	if in == nil {
		return nil
	}
	return in.DeepCopyObject()
}
