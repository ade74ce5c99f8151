package clientcmd

import (
	"io"
	"os"

	clientcmdapi "vedette.dev/clientcmd/api"
	restclient "vedette.dev/rest"
)

// ClientConfig makes a rest.Config of a kubeconfig.
type ClientConfig interface {
	// RawConfig returns the kubeconfig, without overrides.
	RawConfig() (clientcmdapi.Config, error)
	// ClientConfig returns what the context to use says, with the overrides put on it.
	ClientConfig() (*restclient.Config, error)
	// Namespace returns the namespace to use, and whether an override names it.
	Namespace() (string, bool, error)
	// ConfigAccess returns where the kubeconfig comes from. It may be nil.
	ConfigAccess() ConfigAccess
}

// OverridingClientConfig is a ClientConfig that can show its kubeconfig with the overrides in it.
type OverridingClientConfig interface {
	ClientConfig
	// MergedRawConfig returns the kubeconfig, in which the entries in use have the overrides put on them.
	MergedRawConfig() (clientcmdapi.Config, error)
}

var (
	// ClusterDefaults is the server of old: KUBERNETES_MASTER as it was when the program started, or
	// http://localhost:8080. Nothing uses it unless it is put into ConfigOverrides.
	ClusterDefaults = clientcmdapi.Cluster{Server: defaultServer()}
	// DefaultClientConfig has ClusterDefaults and no kubeconfig. KUBECONFIG, as it was when the program started, is only
	// in its ConfigAccess.
	DefaultClientConfig = DirectClientConfig{
		config:       clientcmdapi.NewConfig(),
		overrides:    &ConfigOverrides{ClusterDefaults: ClusterDefaults},
		configAccess: NewDefaultClientConfigLoadingRules(),
	}
)

func defaultServer() string {
	if server := os.Getenv("KUBERNETES_MASTER"); server != "" {
		return server
	}
	return "http://localhost:8080"
}

// NewDefaultClientConfig makes a ClientConfig of the current context.
func NewDefaultClientConfig(config clientcmdapi.Config, overrides *ConfigOverrides) OverridingClientConfig {
	return NewNonInteractiveClientConfig(config, config.CurrentContext, overrides, NewDefaultClientConfigLoadingRules())
}

// NewNonInteractiveClientConfig makes a ClientConfig of a context; the empty name means the current one.
func NewNonInteractiveClientConfig(config clientcmdapi.Config, contextName string, overrides *ConfigOverrides, configAccess ConfigAccess) OverridingClientConfig {
	return NewInteractiveClientConfig(config, contextName, overrides, nil, configAccess)
}

// NewInteractiveClientConfig is for programs that used to ask for a name and a password when a user of a TLS server has
// no credentials. Servers have not known passwords since Kubernetes 1.19. With a reader, which is not read, that case
// is an error in place of anonymous requests.
func NewInteractiveClientConfig(config clientcmdapi.Config, contextName string, overrides *ConfigOverrides, fallbackReader io.Reader, configAccess ConfigAccess) OverridingClientConfig {
	return &DirectClientConfig{
		config:           &config,
		contextName:      contextName,
		overrides:        overrides,
		needsCredentials: fallbackReader != nil,
		configAccess:     configAccess,
	}
}

// NewClientConfigFromBytes makes a ClientConfig of the text of a kubeconfig. Relative paths in it start at the working
// directory.
func NewClientConfigFromBytes(configBytes []byte) (OverridingClientConfig, error) {
	config, err := Load(configBytes)
	if err != nil {
		return nil, err
	}
	return NewNonInteractiveClientConfig(*config, "", &ConfigOverrides{}, nil), nil
}

// RESTConfigFromKubeConfig makes a rest.Config of the text of a kubeconfig.
func RESTConfigFromKubeConfig(configBytes []byte) (*restclient.Config, error) {
	config, err := NewClientConfigFromBytes(configBytes)
	if err != nil {
		return nil, err
	}
	return config.ClientConfig()
}
