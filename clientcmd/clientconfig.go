package clientcmd

import (
	"io"
	"os"

	clientcmdapi "vedette.dev/clientcmd/api"
	restclient "vedette.dev/rest"
)

// ClientConfig creates a rest.Config from a kubeconfig.
type ClientConfig interface {
	// RawConfig returns the kubeconfig, without overrides.
	RawConfig() (clientcmdapi.Config, error)
	// ClientConfig returns the configuration of the selected context, with the overrides applied.
	ClientConfig() (*restclient.Config, error)
	// Namespace returns the namespace to use, and whether it comes from an override.
	Namespace() (string, bool, error)
	// ConfigAccess returns where the kubeconfig comes from. It may be nil.
	ConfigAccess() ConfigAccess
}

// OverridingClientConfig is a ClientConfig that can show its kubeconfig with the overrides in it.
type OverridingClientConfig interface {
	ClientConfig
	// MergedRawConfig returns the kubeconfig, with the overrides applied to the entries in use.
	MergedRawConfig() (clientcmdapi.Config, error)
}

var (
	// ClusterDefaults is the historical default server: KUBERNETES_MASTER at the start of the program, or
	// http://localhost:8080. It is used only if it is set in ConfigOverrides.
	ClusterDefaults = clientcmdapi.Cluster{Server: defaultServer()}
	// DefaultClientConfig has ClusterDefaults and no kubeconfig. KUBECONFIG, at the start of the program, is used only
	// by its ConfigAccess.
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

// NewDefaultClientConfig returns a ClientConfig for the current context.
func NewDefaultClientConfig(config clientcmdapi.Config, overrides *ConfigOverrides) OverridingClientConfig {
	return NewNonInteractiveClientConfig(config, config.CurrentContext, overrides, NewDefaultClientConfigLoadingRules())
}

// NewNonInteractiveClientConfig returns a ClientConfig for a context; the empty name means the current one.
func NewNonInteractiveClientConfig(config clientcmdapi.Config, contextName string, overrides *ConfigOverrides, configAccess ConfigAccess) OverridingClientConfig {
	return NewInteractiveClientConfig(config, contextName, overrides, nil, configAccess)
}

// NewInteractiveClientConfig is for programs that used to prompt for a name and a password if a user of a TLS server
// had no credentials. Servers have not supported passwords since Kubernetes 1.19. With a reader, which is not read,
// that case is an error instead of anonymous requests.
func NewInteractiveClientConfig(config clientcmdapi.Config, contextName string, overrides *ConfigOverrides, fallbackReader io.Reader, configAccess ConfigAccess) OverridingClientConfig {
	return &DirectClientConfig{
		config:           &config,
		contextName:      contextName,
		overrides:        overrides,
		needsCredentials: fallbackReader != nil,
		configAccess:     configAccess,
	}
}

// NewClientConfigFromBytes returns a ClientConfig for the text of a kubeconfig. Relative paths in it are relative to
// the working directory.
func NewClientConfigFromBytes(configBytes []byte) (OverridingClientConfig, error) {
	config, err := Load(configBytes)
	if err != nil {
		return nil, err
	}
	return NewNonInteractiveClientConfig(*config, "", &ConfigOverrides{}, nil), nil
}

// RESTConfigFromKubeConfig returns a rest.Config for the text of a kubeconfig.
func RESTConfigFromKubeConfig(configBytes []byte) (*restclient.Config, error) {
	config, err := NewClientConfigFromBytes(configBytes)
	if err != nil {
		return nil, err
	}
	return config.ClientConfig()
}
