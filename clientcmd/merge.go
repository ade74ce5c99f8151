package clientcmd

import (
	"cmp"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// mergeConfig adds the entries of src that dst does not have: dst is the earlier file, which takes precedence.
func mergeConfig(dst, src *clientcmdapi.Config) {
	dst.CurrentContext = cmp.Or(dst.CurrentContext, src.CurrentContext)
	dst.Preferences.Colors = dst.Preferences.Colors || src.Preferences.Colors
	addMissing(&dst.Preferences.Extensions, src.Preferences.Extensions)
	addMissing(&dst.Clusters, src.Clusters)
	addMissing(&dst.AuthInfos, src.AuthInfos)
	addMissing(&dst.Contexts, src.Contexts)
	addMissing(&dst.Extensions, src.Extensions)
}

func addMissing[V any](dst *map[string]V, src map[string]V) {
	for name, v := range src {
		if _, ok := (*dst)[name]; !ok {
			put(dst, name, v)
		}
	}
}

// put sets an entry of a map that may be nil.
func put[V any](m *map[string]V, name string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[name] = v
}

// The overlay functions apply the fields that are set in src to dst.

func overlayContext(dst, src *clientcmdapi.Context) {
	dst.LocationOfOrigin = cmp.Or(src.LocationOfOrigin, dst.LocationOfOrigin)
	dst.Cluster = cmp.Or(src.Cluster, dst.Cluster)
	dst.AuthInfo = cmp.Or(src.AuthInfo, dst.AuthInfo)
	dst.Namespace = cmp.Or(src.Namespace, dst.Namespace)
	overlayMap(&dst.Extensions, src.Extensions)
}

func overlayCluster(dst, src *clientcmdapi.Cluster) {
	dst.LocationOfOrigin = cmp.Or(src.LocationOfOrigin, dst.LocationOfOrigin)
	dst.Server = cmp.Or(src.Server, dst.Server)
	dst.TLSServerName = cmp.Or(src.TLSServerName, dst.TLSServerName)
	dst.InsecureSkipTLSVerify = src.InsecureSkipTLSVerify || dst.InsecureSkipTLSVerify
	dst.CertificateAuthority = cmp.Or(src.CertificateAuthority, dst.CertificateAuthority)
	overlaySlice(&dst.CertificateAuthorityData, src.CertificateAuthorityData)
	dst.ProxyURL = cmp.Or(src.ProxyURL, dst.ProxyURL)
	dst.DisableCompression = src.DisableCompression || dst.DisableCompression
	overlayMap(&dst.Extensions, src.Extensions)
}

func overlayAuthInfo(dst, src *clientcmdapi.AuthInfo) {
	dst.LocationOfOrigin = cmp.Or(src.LocationOfOrigin, dst.LocationOfOrigin)
	dst.ClientCertificate = cmp.Or(src.ClientCertificate, dst.ClientCertificate)
	overlaySlice(&dst.ClientCertificateData, src.ClientCertificateData)
	dst.ClientKey = cmp.Or(src.ClientKey, dst.ClientKey)
	overlaySlice(&dst.ClientKeyData, src.ClientKeyData)
	dst.Token = cmp.Or(src.Token, dst.Token)
	dst.TokenFile = cmp.Or(src.TokenFile, dst.TokenFile)
	dst.Impersonate = cmp.Or(src.Impersonate, dst.Impersonate)
	dst.ImpersonateUID = cmp.Or(src.ImpersonateUID, dst.ImpersonateUID)
	overlaySlice(&dst.ImpersonateGroups, src.ImpersonateGroups)
	overlayMap(&dst.ImpersonateUserExtra, src.ImpersonateUserExtra)
	dst.Username = cmp.Or(src.Username, dst.Username)
	dst.Password = cmp.Or(src.Password, dst.Password)
	dst.AuthProvider = cmp.Or(src.AuthProvider, dst.AuthProvider)
	dst.Exec = cmp.Or(src.Exec, dst.Exec)
	overlayMap(&dst.Extensions, src.Extensions)
}

func overlaySlice[E any](dst *[]E, src []E) {
	if len(src) > 0 {
		*dst = src
	}
}

func overlayMap[V any](dst *map[string]V, src map[string]V) {
	for name, v := range src {
		put(dst, name, v)
	}
}
