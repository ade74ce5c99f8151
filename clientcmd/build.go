package clientcmd

import (
	"errors"
	"fmt"

	clientcmdapi "vedette.dev/clientcmd/api"
	restclient "vedette.dev/rest"
)

// BuildConfigFromFlags returns a rest.Config for the flags --master and --kubeconfig.
//
//   - With a path, the file must exist. The master URL replaces the server of its current context, and nothing else.
//   - With a master URL alone, that is the server.
//   - With neither, it is the config of the pod that the program runs in. Outside of a pod that is an error for which
//     [IsEmptyConfig] is true: neither KUBECONFIG nor the home directory is used. For these, see
//     [NewNonInteractiveDeferredLoadingClientConfig].
func BuildConfigFromFlags(masterUrl, kubeconfigPath string) (*restclient.Config, error) {
	var inPod error
	if kubeconfigPath == "" && masterUrl == "" {
		config, err := restclient.InClusterConfig()
		if err == nil {
			return config, nil
		}
		if !errors.Is(err, restclient.ErrNotInCluster) {
			inPod = err
		}
	}
	config, err := buildConfig(&ClientConfigLoadingRules{ExplicitPath: kubeconfigPath}, masterUrl)
	if err != nil && inPod != nil {
		// In a pod the in-cluster error is the relevant one, not that there is no kubeconfig.
		return nil, fmt.Errorf("%w (in-cluster config: %w)", err, inPod)
	}
	return config, err
}

// BuildConfigFromKubeconfigGetter returns a rest.Config for the kubeconfig that a getter returns. The master URL, if
// not empty, replaces the server.
func BuildConfigFromKubeconfigGetter(masterUrl string, kubeconfigGetter KubeconfigGetter) (*restclient.Config, error) {
	if kubeconfigGetter == nil {
		return nil, errors.New("kubeconfigGetter is nil")
	}
	return buildConfig(&ClientConfigGetter{kubeconfigGetter: kubeconfigGetter}, masterUrl)
}

func buildConfig(loader ClientConfigLoader, server string) (*restclient.Config, error) {
	overrides := &ConfigOverrides{ClusterInfo: clientcmdapi.Cluster{Server: server}}
	return NewNonInteractiveDeferredLoadingClientConfig(loader, overrides).ClientConfig()
}
