package clientcmd

import (
	clientcmdapi "vedette.dev/clientcmd/api"
	restclient "vedette.dev/rest"
)

// KubeconfigGetter returns a config that does not come from files.
type KubeconfigGetter func() (*clientcmdapi.Config, error)

// ClientConfigGetter is the [ClientConfigLoader] for a [KubeconfigGetter]; see [BuildConfigFromKubeconfigGetter]. It has no
// files.
type ClientConfigGetter struct {
	kubeconfigGetter KubeconfigGetter
}

var _ ClientConfigLoader = (*ClientConfigGetter)(nil)

// Load calls the getter.
func (g *ClientConfigGetter) Load() (*clientcmdapi.Config, error) { return g.kubeconfigGetter() }

// GetStartingConfig calls the getter.
func (g *ClientConfigGetter) GetStartingConfig() (*clientcmdapi.Config, error) {
	return g.kubeconfigGetter()
}

// GetLoadingPrecedence returns nil.
func (g *ClientConfigGetter) GetLoadingPrecedence() []string { return nil }

// GetDefaultFilename returns "".
func (g *ClientConfigGetter) GetDefaultFilename() string { return "" }

// IsExplicitFile returns false.
func (g *ClientConfigGetter) IsExplicitFile() bool { return false }

// GetExplicitFile returns "".
func (g *ClientConfigGetter) GetExplicitFile() string { return "" }

// IsDefaultConfig returns false: the config was provided explicitly.
func (g *ClientConfigGetter) IsDefaultConfig(*restclient.Config) bool { return false }
