package clientcmd

import (
	"cmp"
	"fmt"
	"reflect"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// DirectClientConfig is the ClientConfig of a kubeconfig in memory. It is immutable, and safe for concurrent use as
// long as the kubeconfig and the overrides are not modified.
type DirectClientConfig struct {
	config           *clientcmdapi.Config // nil means empty
	overrides        *ConfigOverrides     // may be nil
	contextName      string               // "" means the current context of config
	needsCredentials bool
	configAccess     ConfigAccess
}

var _ OverridingClientConfig = (*DirectClientConfig)(nil)

// String returns the name of the context. Without it, printing would show the secrets of the config.
func (config DirectClientConfig) String() string {
	return fmt.Sprintf("clientcmd.DirectClientConfig{context: %q}", cmp.Or(config.contextName, config.raw().CurrentContext))
}

// GoString returns String.
func (config DirectClientConfig) GoString() string { return config.String() }

// RawConfig implements ClientConfig. The result shares its maps with the config and must not be modified.
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

// Namespace implements ClientConfig. An override counts even if there is nothing else: it may be all that a program in
// a cluster has.
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

// MergedRawConfig implements [OverridingClientConfig].
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

// ConfirmUsable validates the selected context, its cluster and its user, with the overrides applied. It returns all
// problems.
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
		// There is no server, and no other problem.
		problems[0] = ErrEmptyConfig
	}
	return newErrConfigurationInvalid(problems)
}

// dangling returns names in the context that do not exist, unless overrides replace them completely. Without this, a
// misspelt user would be anonymous, and a misspelt cluster would be the one that the program runs in. Names in
// overrides are checked by checkOverrides.
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

// checkOverrides returns an error for the first name in an override that does not exist.
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

// choice is the selected context, user and cluster, with the overrides applied.
type choice struct {
	contextName string
	context     clientcmdapi.Context
	user        clientcmdapi.AuthInfo
	cluster     clientcmdapi.Cluster

	// Whether the kubeconfig has an entry of this name.
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
