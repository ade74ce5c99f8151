// Package api holds a kubeconfig in memory.
//
//	Config ─┬─ Clusters   name ─▶ Cluster    where a server is, and how to know that it is the right one
//	        ├─ AuthInfos  name ─▶ AuthInfo   who we are: token, client certificate, password, or a program (ExecConfig)
//	        ├─ Contexts   name ─▶ Context    a cluster, a user and a default namespace, by name
//	        └─ CurrentContext                the context to use when nobody names one
//
// Package clientcmd reads and writes it, merges several, and makes a rest.Config of it.
//
//   - MinifyConfig keeps what the current context uses, FlattenConfig replaces paths of files by what is in them.
//     After both, a kubeconfig can travel.
//   - ShortenConfig and RedactSecrets prepare one for showing. They change the Config they are given: copy it first.
//   - Config, Cluster, AuthInfo, AuthProviderConfig and ExecConfig hide their secrets when they are printed. Their
//     fields do not, and neither does encoding/json.
//   - Extensions are what other programs keep in a kubeconfig. They are carried as runtime.Unknown, unread.
package api
