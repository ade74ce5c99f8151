// Package testenv runs a real Kubernetes API server for tests: kube-apiserver and etcd, built from their Go modules.
//
// Nothing has to be installed but Go. The first use builds the two programs, which takes some minutes; later ones start
// within four seconds. To build them beforehand, with progress:
//
//	go run vedette.dev/testenv/cmd/testenv build
//
// # Types
//
//   - [Env] is a running API server with its etcd. [Start] starts one, [Env.Stop] stops it.
//   - [Config] configures it. Its zero value works.
//   - [Shared] is one environment for all the tests of a package.
//   - [New] starts an environment for one test, with its own configuration.
//   - [Kubectl] is a kubectl of the same version, built in the same way.
//
// # Use
//
//	var shared testenv.Shared
//
//	func TestMain(m *testing.M) { shared.Main(m) }
//
//	func TestPods(t *testing.T) {
//		cfg := shared.Env(t).RESTConfig() // a *rest.Config of an administrator
//		...
//	}
//
//	func TestSharding(t *testing.T) {
//		env := testenv.New(t, testenv.Config{FeatureGates: map[string]bool{"ShardedListAndWatch": true}})
//		...
//	}
//
// Tests that share an environment should each work in a namespace of their own.
//
// # What is running
//
// Only the API server and etcd: no kubelet, no scheduler and no controllers. Pods are not changed, a deployment creates
// no pods, and a namespace that is deleted stays "Terminating" since there is no controller to empty it. The admission
// plugin for service accounts is off, so that pods can be created without them.
//
// Two users have tokens, [AdminUser] and [PlainUser]; the former also has a client certificate. [Env.Kubeconfig] has both.
// The server's certificate is signed by an authority made for this environment, so clients verify it as they should.
//
// # Cleanup
//
// Servers and files are removed when Stop returns. They are also removed, a moment later, if the test panics, runs into
// the timeout of go test, or is killed, even with kill -9. Logs are removed, too: set Config.Output to see them.
//
// # Faults
//
// [Env.KillAPIServer] and [Env.StopAPIServer] stop the server, by force or gracefully; [Env.StartAPIServer] starts it
// again at the same address with the same data, and [Env.RestartAPIServer] does both. [Env.Compact] compacts etcd; see
// there for which requests are then answered with 410 Gone.
//
// # Where the programs are stored
//
// In vedette/testenv under [os.UserCacheDir], by version. The environment variable VEDETTE_TESTENV_DIR sets another
// folder. `testenv clean` removes them.
package testenv
