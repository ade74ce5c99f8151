package clientcmd

import (
	"errors"
	"os"
	"strings"

	clientcmdapi "vedette.dev/clientcmd/api"
	restclient "vedette.dev/rest"
)

// InClusterConfig is the ClientConfig of a program that runs in a pod.
type InClusterConfig interface {
	ClientConfig
	// Possible reports whether the program runs in a pod with a service account.
	Possible() bool
}

// inCluster uses the files that the kubelet mounts into each pod.
type inCluster struct {
	overrides *ConfigOverrides                   // may be nil
	config    func() (*restclient.Config, error) // restclient.InClusterConfig, replaced in tests
	folder    string                             // folder of the service account
}

var _ InClusterConfig = (*inCluster)(nil)

func newInCluster(overrides *ConfigOverrides) *inCluster {
	return &inCluster{overrides, restclient.InClusterConfig, "/var/run/secrets/kubernetes.io/serviceaccount"}
}

func (c *inCluster) RawConfig() (clientcmdapi.Config, error) {
	return clientcmdapi.Config{}, errors.New("inCluster environment config doesn't support multiple clusters")
}

// ClientConfig takes the server, the token and the CA file from the overrides if they are set; other overrides do not
// apply to a service account.
func (c *inCluster) ClientConfig() (*restclient.Config, error) {
	config, err := c.config()
	if err != nil {
		return nil, err
	}
	over := c.overrides
	if over == nil {
		return config, nil
	}
	if over.ClusterInfo.Server != "" {
		config.Host = over.ClusterInfo.Server
	}
	if over.AuthInfo.Token != "" || over.AuthInfo.TokenFile != "" {
		config.BearerToken, config.BearerTokenFile = over.AuthInfo.Token, over.AuthInfo.TokenFile
	}
	if over.ClusterInfo.CertificateAuthority != "" {
		config.CAFile = over.ClusterInfo.CertificateAuthority
	}
	return config, nil
}

// Namespace returns the namespace of the pod. POD_NAMESPACE takes precedence over the service account file, for
// compatibility.
func (c *inCluster) Namespace() (string, bool, error) {
	if ns := os.Getenv("POD_NAMESPACE"); ns != "" {
		return ns, false, nil
	}
	if data, err := os.ReadFile(c.folder + "/namespace"); err == nil {
		if ns := strings.TrimSpace(string(data)); ns != "" {
			return ns, false, nil
		}
	}
	return "default", false, nil
}

func (c *inCluster) ConfigAccess() ConfigAccess { return NewDefaultClientConfigLoadingRules() }

func (c *inCluster) Possible() bool {
	info, err := os.Stat(c.folder + "/token")
	return os.Getenv("KUBERNETES_SERVICE_HOST") != "" && os.Getenv("KUBERNETES_SERVICE_PORT") != "" &&
		err == nil && !info.IsDir()
}
