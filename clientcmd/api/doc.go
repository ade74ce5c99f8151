// Package api has the types of a kubeconfig.
//
//	Config ─┬─ Clusters   name ─▶ Cluster    the address of a server, and how to verify it
//	        ├─ AuthInfos  name ─▶ AuthInfo   credentials: token, client certificate, password, or exec plugin (ExecConfig)
//	        ├─ Contexts   name ─▶ Context    a cluster, a user and a default namespace, by name
//	        └─ CurrentContext                the context to use by default
//
// Package clientcmd reads and writes it, merges several, and creates a rest.Config from it.
//
//   - MinifyConfig keeps what the current context uses, FlattenConfig replaces paths of files by their contents. After
//     both, a kubeconfig is self-contained.
//   - ShortenConfig and RedactSecrets prepare one for display. They modify their argument: copy it first.
//   - Config, Cluster, AuthInfo, AuthProviderConfig and ExecConfig hide their secrets when they are printed. Their
//     fields do not, and neither does encoding/json.
//   - Extensions are data of other programs. They are kept as runtime.Unknown, without decoding.
package api
