package v1

import (
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/clientcmd/api"
)

// The functions of this file have the names that conversion-gen would give them.

// RegisterConversions adds the conversions between this package and clientcmd/api to a scheme.
func RegisterConversions(s *runtime.Scheme) error {
	for _, err := range []error{
		register(s, Convert_v1_AuthInfo_To_api_AuthInfo),
		register(s, Convert_api_AuthInfo_To_v1_AuthInfo),
		register(s, Convert_v1_AuthProviderConfig_To_api_AuthProviderConfig),
		register(s, Convert_api_AuthProviderConfig_To_v1_AuthProviderConfig),
		register(s, Convert_v1_Cluster_To_api_Cluster),
		register(s, Convert_api_Cluster_To_v1_Cluster),
		register(s, Convert_v1_Config_To_api_Config),
		register(s, Convert_api_Config_To_v1_Config),
		register(s, Convert_v1_Context_To_api_Context),
		register(s, Convert_api_Context_To_v1_Context),
		register(s, Convert_v1_ExecConfig_To_api_ExecConfig),
		register(s, Convert_api_ExecConfig_To_v1_ExecConfig),
		register(s, Convert_v1_ExecEnvVar_To_api_ExecEnvVar),
		register(s, Convert_api_ExecEnvVar_To_v1_ExecEnvVar),
		register(s, Convert_v1_Preferences_To_api_Preferences),
		register(s, Convert_api_Preferences_To_v1_Preferences),
		register(s, Convert_Slice_v1_NamedCluster_To_Map_string_To_Pointer_api_Cluster),
		register(s, Convert_Map_string_To_Pointer_api_Cluster_To_Slice_v1_NamedCluster),
		register(s, Convert_Slice_v1_NamedAuthInfo_To_Map_string_To_Pointer_api_AuthInfo),
		register(s, Convert_Map_string_To_Pointer_api_AuthInfo_To_Slice_v1_NamedAuthInfo),
		register(s, Convert_Slice_v1_NamedContext_To_Map_string_To_Pointer_api_Context),
		register(s, Convert_Map_string_To_Pointer_api_Context_To_Slice_v1_NamedContext),
		register(s, Convert_Slice_v1_NamedExtension_To_Map_string_To_runtime_Object),
		register(s, Convert_Map_string_To_runtime_Object_To_Slice_v1_NamedExtension),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

func register[A, B any](s *runtime.Scheme, convert func(*A, *B, conversion.Scope) error) error {
	return s.AddConversionFunc((*A)(nil), (*B)(nil), func(a, b any, scope conversion.Scope) error {
		return convert(a.(*A), b.(*B), scope)
	})
}

// Convert_v1_Config_To_api_Config converts in to out, which may share memory afterwards.
func Convert_v1_Config_To_api_Config(in *Config, out *api.Config, s conversion.Scope) error {
	if err := Convert_v1_Preferences_To_api_Preferences(&in.Preferences, &out.Preferences, s); err != nil {
		return err
	}
	if err := Convert_Slice_v1_NamedCluster_To_Map_string_To_Pointer_api_Cluster(&in.Clusters, &out.Clusters, s); err != nil {
		return err
	}
	if err := Convert_Slice_v1_NamedAuthInfo_To_Map_string_To_Pointer_api_AuthInfo(&in.AuthInfos, &out.AuthInfos, s); err != nil {
		return err
	}
	if err := Convert_Slice_v1_NamedContext_To_Map_string_To_Pointer_api_Context(&in.Contexts, &out.Contexts, s); err != nil {
		return err
	}
	out.CurrentContext = in.CurrentContext
	return Convert_Slice_v1_NamedExtension_To_Map_string_To_runtime_Object(&in.Extensions, &out.Extensions, s)
}

// Convert_api_Config_To_v1_Config converts in to out, which may share memory afterwards.
func Convert_api_Config_To_v1_Config(in *api.Config, out *Config, s conversion.Scope) error {
	if err := Convert_api_Preferences_To_v1_Preferences(&in.Preferences, &out.Preferences, s); err != nil {
		return err
	}
	if err := Convert_Map_string_To_Pointer_api_Cluster_To_Slice_v1_NamedCluster(&in.Clusters, &out.Clusters, s); err != nil {
		return err
	}
	if err := Convert_Map_string_To_Pointer_api_AuthInfo_To_Slice_v1_NamedAuthInfo(&in.AuthInfos, &out.AuthInfos, s); err != nil {
		return err
	}
	if err := Convert_Map_string_To_Pointer_api_Context_To_Slice_v1_NamedContext(&in.Contexts, &out.Contexts, s); err != nil {
		return err
	}
	out.CurrentContext = in.CurrentContext
	return Convert_Map_string_To_runtime_Object_To_Slice_v1_NamedExtension(&in.Extensions, &out.Extensions, s)
}

// Convert_v1_Preferences_To_api_Preferences converts in to out, which may share memory afterwards.
func Convert_v1_Preferences_To_api_Preferences(in *Preferences, out *api.Preferences, s conversion.Scope) error {
	out.Colors = in.Colors
	return Convert_Slice_v1_NamedExtension_To_Map_string_To_runtime_Object(&in.Extensions, &out.Extensions, s)
}

// Convert_api_Preferences_To_v1_Preferences converts in to out, which may share memory afterwards.
func Convert_api_Preferences_To_v1_Preferences(in *api.Preferences, out *Preferences, s conversion.Scope) error {
	out.Colors = in.Colors
	return Convert_Map_string_To_runtime_Object_To_Slice_v1_NamedExtension(&in.Extensions, &out.Extensions, s)
}

// Convert_v1_Cluster_To_api_Cluster converts in to out, which may share memory afterwards.
func Convert_v1_Cluster_To_api_Cluster(in *Cluster, out *api.Cluster, s conversion.Scope) error {
	out.Server = in.Server
	out.TLSServerName = in.TLSServerName
	out.InsecureSkipTLSVerify = in.InsecureSkipTLSVerify
	out.CertificateAuthority = in.CertificateAuthority
	out.CertificateAuthorityData = in.CertificateAuthorityData
	out.ProxyURL = in.ProxyURL
	out.DisableCompression = in.DisableCompression
	return Convert_Slice_v1_NamedExtension_To_Map_string_To_runtime_Object(&in.Extensions, &out.Extensions, s)
}

// Convert_api_Cluster_To_v1_Cluster converts in to out, which may share memory afterwards.
func Convert_api_Cluster_To_v1_Cluster(in *api.Cluster, out *Cluster, s conversion.Scope) error {
	out.Server = in.Server
	out.TLSServerName = in.TLSServerName
	out.InsecureSkipTLSVerify = in.InsecureSkipTLSVerify
	out.CertificateAuthority = in.CertificateAuthority
	out.CertificateAuthorityData = in.CertificateAuthorityData
	out.ProxyURL = in.ProxyURL
	out.DisableCompression = in.DisableCompression
	return Convert_Map_string_To_runtime_Object_To_Slice_v1_NamedExtension(&in.Extensions, &out.Extensions, s)
}

// Convert_v1_Context_To_api_Context converts in to out, which may share memory afterwards.
func Convert_v1_Context_To_api_Context(in *Context, out *api.Context, s conversion.Scope) error {
	out.Cluster = in.Cluster
	out.AuthInfo = in.AuthInfo
	out.Namespace = in.Namespace
	return Convert_Slice_v1_NamedExtension_To_Map_string_To_runtime_Object(&in.Extensions, &out.Extensions, s)
}

// Convert_api_Context_To_v1_Context converts in to out, which may share memory afterwards.
func Convert_api_Context_To_v1_Context(in *api.Context, out *Context, s conversion.Scope) error {
	out.Cluster = in.Cluster
	out.AuthInfo = in.AuthInfo
	out.Namespace = in.Namespace
	return Convert_Map_string_To_runtime_Object_To_Slice_v1_NamedExtension(&in.Extensions, &out.Extensions, s)
}

// Convert_v1_AuthInfo_To_api_AuthInfo converts in to out, which may share memory afterwards.
func Convert_v1_AuthInfo_To_api_AuthInfo(in *AuthInfo, out *api.AuthInfo, s conversion.Scope) error {
	out.ClientCertificate = in.ClientCertificate
	out.ClientCertificateData = in.ClientCertificateData
	out.ClientKey = in.ClientKey
	out.ClientKeyData = in.ClientKeyData
	out.Token = in.Token
	out.TokenFile = in.TokenFile
	out.Impersonate = in.Impersonate
	out.ImpersonateUID = in.ImpersonateUID
	out.ImpersonateGroups = in.ImpersonateGroups
	out.ImpersonateUserExtra = in.ImpersonateUserExtra
	out.Username = in.Username
	out.Password = in.Password
	out.AuthProvider = (*api.AuthProviderConfig)(in.AuthProvider)
	out.Exec = nil
	if in.Exec != nil {
		out.Exec = &api.ExecConfig{}
		if err := Convert_v1_ExecConfig_To_api_ExecConfig(in.Exec, out.Exec, s); err != nil {
			return err
		}
	}
	return Convert_Slice_v1_NamedExtension_To_Map_string_To_runtime_Object(&in.Extensions, &out.Extensions, s)
}

// Convert_api_AuthInfo_To_v1_AuthInfo converts in to out, which may share memory afterwards.
func Convert_api_AuthInfo_To_v1_AuthInfo(in *api.AuthInfo, out *AuthInfo, s conversion.Scope) error {
	out.ClientCertificate = in.ClientCertificate
	out.ClientCertificateData = in.ClientCertificateData
	out.ClientKey = in.ClientKey
	out.ClientKeyData = in.ClientKeyData
	out.Token = in.Token
	out.TokenFile = in.TokenFile
	out.Impersonate = in.Impersonate
	out.ImpersonateUID = in.ImpersonateUID
	out.ImpersonateGroups = in.ImpersonateGroups
	out.ImpersonateUserExtra = in.ImpersonateUserExtra
	out.Username = in.Username
	out.Password = in.Password
	out.AuthProvider = (*AuthProviderConfig)(in.AuthProvider)
	out.Exec = nil
	if in.Exec != nil {
		out.Exec = &ExecConfig{}
		if err := Convert_api_ExecConfig_To_v1_ExecConfig(in.Exec, out.Exec, s); err != nil {
			return err
		}
	}
	return Convert_Map_string_To_runtime_Object_To_Slice_v1_NamedExtension(&in.Extensions, &out.Extensions, s)
}

// Convert_v1_AuthProviderConfig_To_api_AuthProviderConfig converts in to out, which may share memory afterwards.
func Convert_v1_AuthProviderConfig_To_api_AuthProviderConfig(in *AuthProviderConfig, out *api.AuthProviderConfig, s conversion.Scope) error {
	*out = api.AuthProviderConfig(*in)
	return nil
}

// Convert_api_AuthProviderConfig_To_v1_AuthProviderConfig converts in to out, which may share memory afterwards.
func Convert_api_AuthProviderConfig_To_v1_AuthProviderConfig(in *api.AuthProviderConfig, out *AuthProviderConfig, s conversion.Scope) error {
	*out = AuthProviderConfig(*in)
	return nil
}

// Convert_v1_ExecConfig_To_api_ExecConfig converts in to out, which may share memory afterwards.
func Convert_v1_ExecConfig_To_api_ExecConfig(in *ExecConfig, out *api.ExecConfig, s conversion.Scope) error {
	out.Command, out.Args, out.APIVersion = in.Command, in.Args, in.APIVersion
	out.InstallHint, out.ProvideClusterInfo = in.InstallHint, in.ProvideClusterInfo
	out.InteractiveMode = api.ExecInteractiveMode(in.InteractiveMode)
	out.Env = convertEach(in.Env, func(v ExecEnvVar) api.ExecEnvVar { return api.ExecEnvVar(v) })
	return nil
}

// Convert_api_ExecConfig_To_v1_ExecConfig converts in to out, which may share memory afterwards.
func Convert_api_ExecConfig_To_v1_ExecConfig(in *api.ExecConfig, out *ExecConfig, s conversion.Scope) error {
	out.Command, out.Args, out.APIVersion = in.Command, in.Args, in.APIVersion
	out.InstallHint, out.ProvideClusterInfo = in.InstallHint, in.ProvideClusterInfo
	out.InteractiveMode = ExecInteractiveMode(in.InteractiveMode)
	out.Env = convertEach(in.Env, func(v api.ExecEnvVar) ExecEnvVar { return ExecEnvVar(v) })
	return nil
}

// Convert_v1_ExecEnvVar_To_api_ExecEnvVar converts in to out, which may share memory afterwards.
func Convert_v1_ExecEnvVar_To_api_ExecEnvVar(in *ExecEnvVar, out *api.ExecEnvVar, s conversion.Scope) error {
	*out = api.ExecEnvVar(*in)
	return nil
}

// Convert_api_ExecEnvVar_To_v1_ExecEnvVar converts in to out, which may share memory afterwards.
func Convert_api_ExecEnvVar_To_v1_ExecEnvVar(in *api.ExecEnvVar, out *ExecEnvVar, s conversion.Scope) error {
	*out = ExecEnvVar(*in)
	return nil
}

func convertEach[A, B any](in []A, convert func(A) B) []B {
	if in == nil {
		return nil
	}
	out := make([]B, len(in))
	for i := range in {
		out[i] = convert(in[i])
	}
	return out
}
