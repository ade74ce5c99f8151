// Package execauth gets credentials from exec plugins: programs that a kubeconfig names, and that print an ExecCredential
// (client.authentication.k8s.io, v1 or v1beta1).
//
// # The types
//
//	Authenticator   credentials of one plugin, kept while they are good   New, UpdateTransportConfig
//	Cluster         what a plugin with provideClusterInfo is told
//
// Inside, a request asks the Authenticator; when there is nothing good, it joins the flight that is under way or starts
// one; and the flight runs the plugin. The answer is parsed, and given to all who wait.
//
// # What always holds
//
//   - Equal ExecConfigs have the same Authenticator, for as long as a client holds it. One plugin runs once at a time.
//   - Credentials are used until they expire or the server answers 401. The request after that runs the plugin. When it
//     returns the same credentials once more, they are used for five seconds whatever the server says.
//   - A request waits for the plugin no longer than its context allows. A plugin that no request waits for any more is killed;
//     so is one that takes longer than a minute, or five when there is a terminal at which a person may be asked.
//   - Of two runs, the credentials of the one that began later are kept, in whichever order the runs end.
//   - Without a terminal the plugin has a process group of its own, and is killed with all that it started.
//   - When the client certificate changes, connections that were made with the old one are given up, as package transport
//     says.
//   - Credentials do not follow a redirect to another origin, and an Authorization header of the caller's is left alone.
//   - Errors show the plugin's name, how it ended and, without a terminal, the last of what it wrote to standard error. They
//     show nothing of its output, and no argument or variable of the configuration.
//   - At most a MiB of output is read.
//
// # Which plugins may run
//
// PluginPolicy decides. An entry of the allowlist matches the command as it is written, the path to which it resolves, or
// the path to which the entry itself resolves. The path that was checked is the one that is run.
package execauth
