package clientcmd

import (
	"errors"
	"fmt"
	"io"
	"sync"

	clientcmdapi "vedette.dev/clientcmd/api"
	restclient "vedette.dev/rest"
)

// DeferredLoadingClientConfig is a ClientConfig that loads its kubeconfig at the first call: flags bound to the loader
// and the overrides are parsed by then. A config that was loaded without an error is kept. It is safe for concurrent
// use.
//
// If the kubeconfig is empty, or equal to the loader's default, and the program runs in a pod, the in-cluster config is
// used.
type DeferredLoadingClientConfig struct {
	loader         ClientConfigLoader
	overrides      *ConfigOverrides
	fallbackReader io.Reader
	inCluster      InClusterConfig

	mu     sync.Mutex
	loaded ClientConfig
}

var _ ClientConfig = (*DeferredLoadingClientConfig)(nil)

// String returns the names of the files. Without it, printing would show the secrets of the overrides.
func (config *DeferredLoadingClientConfig) String() string {
	return fmt.Sprintf("clientcmd.DeferredLoadingClientConfig{files: %q}", config.loader.GetLoadingPrecedence())
}

// GoString returns String.
func (config *DeferredLoadingClientConfig) GoString() string { return config.String() }

// NewNonInteractiveDeferredLoadingClientConfig returns a ClientConfig for the kubeconfig of the loader.
func NewNonInteractiveDeferredLoadingClientConfig(loader ClientConfigLoader, overrides *ConfigOverrides) ClientConfig {
	return NewInteractiveDeferredLoadingClientConfig(loader, overrides, nil)
}

// NewInteractiveDeferredLoadingClientConfig is like [NewNonInteractiveDeferredLoadingClientConfig], with the reader of
// [NewInteractiveClientConfig].
func NewInteractiveDeferredLoadingClientConfig(loader ClientConfigLoader, overrides *ConfigOverrides, fallbackReader io.Reader) ClientConfig {
	return &DeferredLoadingClientConfig{
		loader:         loader,
		overrides:      overrides,
		fallbackReader: fallbackReader,
		inCluster:      newInCluster(overrides),
	}
}

func (config *DeferredLoadingClientConfig) load() (ClientConfig, error) {
	config.mu.Lock()
	defer config.mu.Unlock()
	if config.loaded != nil {
		return config.loaded, nil
	}
	raw, err := config.loader.Load()
	if err != nil {
		return nil, err
	}
	if raw == nil {
		return nil, errors.New("kubeconfig loader returned neither a config nor an error")
	}
	context := ""
	if config.overrides != nil {
		context = config.overrides.CurrentContext
	}
	config.loaded = NewInteractiveClientConfig(*raw, context, config.overrides, config.fallbackReader, config.loader)
	return config.loaded, nil
}

// RawConfig implements ClientConfig.
func (config *DeferredLoadingClientConfig) RawConfig() (clientcmdapi.Config, error) {
	loaded, err := config.load()
	if err != nil {
		return clientcmdapi.Config{}, err
	}
	return loaded.RawConfig()
}

// ClientConfig implements ClientConfig.
func (config *DeferredLoadingClientConfig) ClientConfig() (*restclient.Config, error) {
	loaded, err := config.load()
	if err != nil {
		return nil, err
	}
	result, err := loaded.ClientConfig()
	if err != nil && !IsEmptyConfig(err) {
		return nil, err
	}
	if err == nil && !config.loader.IsDefaultConfig(result) {
		return result, nil
	}
	if config.inCluster.Possible() {
		return config.inCluster.ClientConfig()
	}
	return result, err
}

// Namespace implements ClientConfig.
func (config *DeferredLoadingClientConfig) Namespace() (string, bool, error) {
	loaded, err := config.load()
	if err != nil {
		return "", false, err
	}
	ns, overridden, err := loaded.Namespace()
	if err != nil && !IsEmptyConfig(err) || overridden || !config.inCluster.Possible() || config.isChosen(loaded, ns) {
		return ns, overridden, err
	}
	return config.inCluster.Namespace()
}

// isChosen reports whether the kubeconfig sets the namespace: "default" may also be the fallback.
func (config *DeferredLoadingClientConfig) isChosen(loaded ClientConfig, ns string) bool {
	if ns != "default" {
		return ns != ""
	}
	raw, err := loaded.RawConfig()
	if err != nil {
		return false
	}
	current := raw.CurrentContext
	if config.overrides != nil && config.overrides.CurrentContext != "" {
		current = config.overrides.CurrentContext
	}
	context := raw.Contexts[current]
	return context != nil && context.Namespace != ""
}

// ConfigAccess implements ClientConfig.
func (config *DeferredLoadingClientConfig) ConfigAccess() ConfigAccess { return config.loader }
