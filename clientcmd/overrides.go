package clientcmd

import (
	"fmt"
	"strconv"
	"time"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// ConfigOverrides override fields of a kubeconfig. They usually come from flags; see [BindOverrideFlags].
type ConfigOverrides struct {
	// AuthInfo overrides the user.
	AuthInfo clientcmdapi.AuthInfo
	// ClusterDefaults are defaults for the cluster: they apply to fields that the kubeconfig does not set.
	ClusterDefaults clientcmdapi.Cluster
	// ClusterInfo overrides the cluster.
	ClusterInfo clientcmdapi.Cluster
	// Context overrides the context. Its cluster and user must exist.
	Context clientcmdapi.Context
	// CurrentContext overrides the current context, and must exist.
	CurrentContext string
	// Timeout is the timeout of a request; see ParseTimeout. Empty means none.
	Timeout string
}

// cluster returns a cluster with the overrides applied. An override of how to verify the server replaces all such
// settings of the kubeconfig: a mixture would be contradictory.
func (o *ConfigOverrides) cluster(cluster *clientcmdapi.Cluster) clientcmdapi.Cluster {
	merged := clientcmdapi.NewCluster()
	overlayCluster(merged, &o.ClusterDefaults)
	if cluster != nil {
		overlayCluster(merged, cluster)
	}
	over := &o.ClusterInfo
	overlayCluster(merged, over)
	if over.InsecureSkipTLSVerify || over.CertificateAuthority != "" || len(over.CertificateAuthorityData) > 0 {
		merged.InsecureSkipTLSVerify = over.InsecureSkipTLSVerify
		merged.CertificateAuthority = over.CertificateAuthority
		merged.CertificateAuthorityData = over.CertificateAuthorityData
	}
	// The TLS name belongs to the server: an override of the server removes it.
	if over.TLSServerName != "" || over.Server != "" {
		merged.TLSServerName = over.TLSServerName
	}
	return *merged
}

// authInfo returns a user with the overrides applied. A certificate or key replaces both the file and the data.
func (o *ConfigOverrides) authInfo(user *clientcmdapi.AuthInfo) clientcmdapi.AuthInfo {
	merged := clientcmdapi.NewAuthInfo()
	if user != nil {
		overlayAuthInfo(merged, user)
	}
	over := &o.AuthInfo
	overlayAuthInfo(merged, over)
	if over.ClientKey != "" || len(over.ClientKeyData) > 0 {
		merged.ClientKey, merged.ClientKeyData = over.ClientKey, over.ClientKeyData
	}
	if over.ClientCertificate != "" || len(over.ClientCertificateData) > 0 {
		merged.ClientCertificate, merged.ClientCertificateData = over.ClientCertificate, over.ClientCertificateData
	}
	return *merged
}

// context returns a context with the overrides applied.
func (o *ConfigOverrides) context(context *clientcmdapi.Context) clientcmdapi.Context {
	merged := clientcmdapi.NewContext()
	if context != nil {
		overlayContext(merged, context)
	}
	overlayContext(merged, &o.Context)
	return *merged
}

// ParseTimeout parses a number of seconds, or a duration with a unit such as 1m30s.
func ParseTimeout(duration string) (time.Duration, error) {
	text := duration
	if _, err := strconv.ParseUint(duration, 10, 64); err == nil {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("invalid timeout %q: want a number of seconds, or a duration with a unit such as 1s, 2m or 3h", duration)
	}
	return d, nil
}
