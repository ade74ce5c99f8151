package clientcmd

import (
	"cmp"
	"fmt"
	"reflect"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// DirectClientConfig is the ClientConfig of a kubeconfig in memory. It never changes, and is safe for concurrent use as
// long as nobody changes the kubeconfig or the overrides it was made of.
type DirectClientConfig struct {
	config           *clientcmdapi.Config // nil means empty
	overrides        *ConfigOverrides     // may be nil
	contextName      string               // "" means the current context of config
	needsCredentials bool
	configAccess     ConfigAccess
}

var _ OverridingClientConfig = (*DirectClientConfig)(nil)

// String names the context. Without it, printing would show the secrets of the config.
func (config DirectClientConfig) String() string {
	return fmt.Sprintf("clientcmd.DirectClientConfig{context: %q}", cmp.Or(config.contextName, config.raw().CurrentContext))
}

// GoString is String.
func (config DirectClientConfig) GoString() string { return config.String() }

// RawConfig implements ClientConfig. What it returns shares its maps with the config: it is for reading.
func (config *DirectClientConfig) RawConfig() (clientcmdapi.Config, error) {
	return *config.raw(), nil
}

func (config *DirectClientConfig) raw() *clientcmdapi.Config {
	if config.config == nil {
		return clientcmdapi.NewConfig()
	}
	return config.config
}

func (config *DirectClientConfig) over() *ConfigOverrides {
	if config.overrides == nil {
		return &ConfigOverrides{}
	}
	return config.overrides
}

// ConfigAccess implements ClientConfig.
func (config *DirectClientConfig) ConfigAccess() ConfigAccess { return config.configAccess }

// Namespace implements ClientConfig. An override counts even if there is nothing else: it is all that a program inside
// a cluster may have.
func (config *DirectClientConfig) Namespace() (string, bool, error) {
	if ns := config.over().Context.Namespace; ns != "" {
		return ns, true, nil
	}
	if err := config.ConfirmUsable(); err != nil {
		return "", false, err
	}
	chosen := config.choose()
	if !chosen.hasContext && config.over().CurrentContext != "" {
		return "", false, notThere("context", chosen.contextName)
	}
	return cmp.Or(chosen.context.Namespace, "default"), false, nil
}

// MergedRawConfig implements OverridingClientConfig.
func (config *DirectClientConfig) MergedRawConfig() (clientcmdapi.Config, error) {
	if err := config.ConfirmUsable(); err != nil {
		return clientcmdapi.Config{}, err
	}
	chosen := config.choose()
	if err := config.checkOverrides(chosen); err != nil {
		return clientcmdapi.Config{}, err
	}
	merged := config.raw().DeepCopy()
	merged.CurrentContext = chosen.contextName
	put(&merged.Contexts, chosen.contextName, chosen.context.DeepCopy())
	put(&merged.AuthInfos, chosen.context.AuthInfo, chosen.user.DeepCopy())
	put(&merged.Clusters, chosen.context.Cluster, chosen.cluster.DeepCopy())
	return *merged, nil
}

// ConfirmUsable looks for problems in the context to use, its cluster and its user, with the overrides put on them. It
// returns all of them.
func (config *DirectClientConfig) ConfirmUsable() error {
	chosen := config.choose()
	var problems []error
	name := cmp.Or(config.contextName, config.raw().CurrentContext)
	if name != "" && config.raw().Contexts[name] == nil {
		problems = append(problems, &errContextNotFound{name})
	}
	problems = append(problems, config.dangling(chosen)...)
	problems = append(problems, validateAuthInfo(chosen.context.AuthInfo, chosen.user)...)
	problems = append(problems, validateClusterInfo(chosen.context.Cluster, chosen.cluster)...)
	if len(problems) == 1 && problems[0] == ErrEmptyCluster {
		// Nothing says where the server is, and nothing was said that is wrong.
		problems[0] = ErrEmptyConfig
	}
	return newErrConfigurationInvalid(problems)
}

// dangling returns names in the context that lead nowhere, unless overrides say what they would have said. Without this
// a misspelt user would be anonymous, and a misspelt cluster would be the one that the program runs in. Names that
// overrides give are for checkOverrides.
func (config *DirectClientConfig) dangling(chosen choice) []error {
	over := config.over().Context
	var problems []error
	if name := chosen.context.AuthInfo; name != over.AuthInfo && !chosen.hasUser && reflect.DeepEqual(chosen.user, *clientcmdapi.NewAuthInfo()) {
		problems = append(problems, userNotFound(name, chosen.contextName))
	}
	if name := chosen.context.Cluster; name != over.Cluster && !chosen.hasCluster && chosen.cluster.Server == "" {
		problems = append(problems, clusterNotFound(name, chosen.contextName))
	}
	return problems
}

// checkOverrides returns the first name that an override gives and that leads nowhere.
func (config *DirectClientConfig) checkOverrides(chosen choice) error {
	switch over := config.over(); {
	case over.Context.AuthInfo != "" && !chosen.hasUser:
		return notThere("auth info", over.Context.AuthInfo)
	case over.CurrentContext != "" && !chosen.hasContext:
		return notThere("context", over.CurrentContext)
	case over.Context.Cluster != "" && !chosen.hasCluster:
		return notThere("cluster", over.Context.Cluster)
	}
	return nil
}

func notThere(kind, name string) error { return fmt.Errorf("%s %q does not exist", kind, name) }

// choice is what there is to use, with the overrides put on it.
type choice struct {
	contextName string
	context     clientcmdapi.Context
	user        clientcmdapi.AuthInfo
	cluster     clientcmdapi.Cluster

	// Whether the kubeconfig has an entry of the name.
	hasContext, hasUser, hasCluster bool
}

func (config *DirectClientConfig) choose() choice {
	raw, over := config.raw(), config.over()
	c := choice{contextName: cmp.Or(over.CurrentContext, config.contextName, raw.CurrentContext)}
	context := raw.Contexts[c.contextName]
	c.context = over.context(context)
	user, cluster := raw.AuthInfos[c.context.AuthInfo], raw.Clusters[c.context.Cluster]
	c.user, c.cluster = over.authInfo(user), over.cluster(cluster)
	c.hasContext, c.hasUser, c.hasCluster = context != nil, user != nil, cluster != nil
	return c
}
