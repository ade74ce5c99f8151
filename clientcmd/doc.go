// Package clientcmd makes a rest.Config of kubeconfig files, flags and the environment.
//
// Most programs need one call:
//
//	config, err := clientcmd.BuildConfigFromFlags("", kubeconfigPath)  // a file, or the pod we run in
//	config, err := clientcmd.RESTConfigFromKubeConfig(text)            // a kubeconfig from a Secret, say
//
// and those that want to behave like kubectl two:
//
//	rules := clientcmd.NewDefaultClientConfigLoadingRules()
//	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{})
//	config, err := loader.ClientConfig()
//	namespace, _, err := loader.Namespace()
//
// # The types
//
//		files ──▶ ClientConfigLoadingRules ──▶ api.Config ─┐
//		flags ──▶ FlagInfo ─▶ ConfigOverrides ─────────────┼──▶ DirectClientConfig ──▶ rest.Config, namespace
//		                                                   └──▶ DeferredLoadingClientConfig: loads at the first call,
//		                                                        and knows the pod we run in
//
//	  - Load, LoadFromFile, Write and WriteToFile read and write an api.Config.
//	  - ModifyConfig writes changes back to the files they belong to, under a lock. PathOptions are its usual
//	    ConfigAccess.
//	  - Validate and ConfirmUsable return all problems at once; IsEmptyConfig, IsContextNotFound and
//	    IsConfigurationInvalid tell errors apart.
//
// # Who wins
//
//   - Files: ExplicitPath alone, else those in KUBECONFIG, else RecommendedHomeFile.
//   - Entries: the first file that has one of a name, with the whole of its entry. The first file that sets
//     current-context decides on that.
//   - Context: ConfigOverrides.CurrentContext, then the name given to the constructor, then current-context.
//   - Fields: ConfigOverrides, then the file, then ConfigOverrides.ClusterDefaults. An override of how to trust the
//     server (a CA, or insecure) replaces all of that, and an override of the server also its TLS name.
//   - Credentials: used only if the server's URL is https. Token wins over TokenFile as the first token.
//   - Namespace: the override, then the context, then that of the pod, then "default".
//   - In a pod: the config of the pod counts when the files say nothing. A file that is wrong is an error.
//
// # Beware
//
//   - A kubeconfig can name programs to run (exec plugins) and files to read. Do not load one from strangers.
//   - Errors name entries, fields and files, and never show a value of a secret.
//   - HOME and KUBERNETES_MASTER are read when the program starts (RecommendedHomeFile, ClusterDefaults), KUBECONFIG when
//     loading rules are made, and the files when they are loaded. Nothing watches them.
package clientcmd
