package clientcmd

import (
	"errors"
	"fmt"

	clientcmdapi "vedette.dev/clientcmd/api"
	restclient "vedette.dev/rest"
)

// BuildConfigFromFlags makes a rest.Config of the flags --master and --kubeconfig.
//
//   - With a path, the file must exist. The master URL replaces the server of its current context, and nothing else.
//   - With a master URL alone, that is the server.
//   - With neither, it is the config of the pod that the program runs in. Outside of a pod that is an error that
//     IsEmptyConfig knows: neither KUBECONFIG nor the home directory are looked at. For these, see
//     NewNonInteractiveDeferredLoadingClientConfig.
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
		// In a pod this is what went wrong, and not that there is no kubeconfig.
		return nil, fmt.Errorf("%w (the config of this pod cannot be used: %w)", err, inPod)
	}
	return config, err
}

// BuildConfigFromKubeconfigGetter makes a rest.Config of the kubeconfig that a getter returns. The master URL, if there
// is one, replaces the server.
func BuildConfigFromKubeconfigGetter(masterUrl string, kubeconfigGetter KubeconfigGetter) (*restclient.Config, error) {
	if kubeconfigGetter == nil {
		return nil, errors.New("the kubeconfigGetter is nil: nothing says where the kubeconfig comes from")
	}
	return buildConfig(&ClientConfigGetter{kubeconfigGetter: kubeconfigGetter}, masterUrl)
}

func buildConfig(loader ClientConfigLoader, server string) (*restclient.Config, error) {
	overrides := &ConfigOverrides{ClusterInfo: clientcmdapi.Cluster{Server: server}}
	return NewNonInteractiveDeferredLoadingClientConfig(loader, overrides).ClientConfig()
}
