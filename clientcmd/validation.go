package clientcmd

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// Validate validates a whole config, and returns all problems, sorted by name.
func Validate(config clientcmdapi.Config) error {
	if clientcmdapi.IsConfigEmpty(&config) {
		return newErrConfigurationInvalid([]error{ErrEmptyConfig})
	}
	var problems []error
	if name := config.CurrentContext; name != "" && config.Contexts[name] == nil {
		problems = append(problems, &errContextNotFound{name})
	}
	for _, name := range slices.Sorted(maps.Keys(config.Contexts)) {
		problems = append(problems, validateContext(name, orEmpty(config.Contexts[name]), config)...)
	}
	for _, name := range slices.Sorted(maps.Keys(config.AuthInfos)) {
		problems = append(problems, validateAuthInfo(name, orEmpty(config.AuthInfos[name]))...)
	}
	for _, name := range slices.Sorted(maps.Keys(config.Clusters)) {
		problems = append(problems, validateClusterInfo(name, orEmpty(config.Clusters[name]))...)
	}
	return newErrConfigurationInvalid(problems)
}

// ConfirmUsable validates one context, and its cluster and user. The empty name means the current context. All problems
// are returned; other entries of the config are not checked.
func ConfirmUsable(config clientcmdapi.Config, passedContextName string) error {
	if clientcmdapi.IsConfigEmpty(&config) {
		return newErrConfigurationInvalid([]error{ErrEmptyConfig})
	}
	name := passedContextName
	if name == "" {
		name = config.CurrentContext
	}
	if name == "" {
		return ErrNoContext
	}
	context := config.Contexts[name]
	if context == nil {
		return newErrConfigurationInvalid([]error{&errContextNotFound{name}})
	}
	problems := validateContext(name, *context, config)
	problems = append(problems, validateAuthInfo(context.AuthInfo, orEmpty(config.AuthInfos[context.AuthInfo]))...)
	problems = append(problems, validateClusterInfo(context.Cluster, orEmpty(config.Clusters[context.Cluster]))...)
	return newErrConfigurationInvalid(problems)
}

func orEmpty[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// validateContext checks the context itself, not its cluster and user.
func validateContext(name string, context clientcmdapi.Context, config clientcmdapi.Config) []error {
	var problems []error
	if name == "" {
		problems = append(problems, fmt.Errorf("context of cluster %q and user %q has no name", context.Cluster, context.AuthInfo))
	}
	switch user := context.AuthInfo; {
	case user == "":
		problems = append(problems, fmt.Errorf("user was not specified for context %q", name))
	case config.AuthInfos[user] == nil:
		problems = append(problems, userNotFound(user, name))
	}
	switch cluster := context.Cluster; {
	case cluster == "":
		problems = append(problems, fmt.Errorf("cluster was not specified for context %q", name))
	case config.Clusters[cluster] == nil:
		problems = append(problems, clusterNotFound(cluster, name))
	}
	if ns := context.Namespace; ns != "" && len(validation.IsDNS1123Label(ns)) != 0 {
		problems = append(problems, fmt.Errorf("namespace %q for context %q does not conform to the kubernetes DNS_LABEL rules", ns, name))
	}
	return problems
}

func userNotFound(user, context string) error {
	return fmt.Errorf("user %q was not found for context %q", user, context)
}

func clusterNotFound(cluster, context string) error {
	return fmt.Errorf("cluster %q was not found for context %q", cluster, context)
}
