// Package clientcmd creates a rest.Config from kubeconfig files, flags and the environment.
//
// Most programs need one call:
//
//	config, err := clientcmd.BuildConfigFromFlags("", kubeconfigPath)  // a file, or the in-cluster config
//	config, err := clientcmd.RESTConfigFromKubeConfig(text)            // a kubeconfig from a Secret, for example
//
// and programs that should behave like kubectl two:
//
//	rules := clientcmd.NewDefaultClientConfigLoadingRules()
//	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{})
//	config, err := loader.ClientConfig()
//	namespace, _, err := loader.Namespace()
//
// # The types
//
//	files ──▶ ClientConfigLoadingRules ──▶ api.Config ─┐
//	flags ──▶ FlagInfo ─▶ ConfigOverrides ─────────────┼──▶ DirectClientConfig ──▶ rest.Config, namespace
//	                                                   └──▶ DeferredLoadingClientConfig: loads at the first call,
//	                                                        and falls back to the in-cluster config
//
// Functions for files and validation:
//
//   - Load, [LoadFromFile], [Write] and [WriteToFile] read and write an api.Config.
//   - [ModifyConfig] writes changes back to the files they belong to, under a lock. [PathOptions] are its usual ConfigAccess.
//   - Validate and ConfirmUsable return all problems at once; [IsEmptyConfig], [IsContextNotFound] and
//     [IsConfigurationInvalid] classify errors.
//
// # Precedence
//
//   - Files: ExplicitPath alone, else those in KUBECONFIG, else [RecommendedHomeFile].
//   - Entries: the first file that has an entry of a name provides the whole entry. The first file that sets
//     current-context determines it.
//   - Context: ConfigOverrides.CurrentContext, then the name given to the constructor, then current-context.
//   - Fields: [ConfigOverrides], then the file, then ConfigOverrides.ClusterDefaults. An override of how to verify the
//     server (a CA, or insecure) replaces all such settings, and an override of the server also its TLS name.
//   - Credentials: used only if the server's URL is https. Token takes precedence over TokenFile as the initial token.
//   - Namespace: the override, then the context, then that of the pod, then "default".
//   - In a pod: the in-cluster config is used if the files are empty. An invalid file is an error.
//
// # Caveats
//
//   - A kubeconfig can name programs to run (exec plugins) and files to read. Do not load one from an untrusted source.
//   - Errors name entries, fields and files, and never show a value of a secret.
//   - HOME and KUBERNETES_MASTER are read when the program starts (RecommendedHomeFile, [ClusterDefaults]), KUBECONFIG
//     when loading rules are created, and the files when they are loaded. Changes are not watched.
package clientcmd
