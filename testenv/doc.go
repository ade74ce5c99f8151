// Package testenv runs a real Kubernetes API server for tests: kube-apiserver and etcd, built from their Go modules.
//
// Nothing has to be installed but Go. The first use builds the two programs, which takes some minutes; later ones start
// within four seconds. Build them beforehand, with a view of the progress, by
//
//	go run vedette.dev/testenv/cmd/testenv build
//
// # Types
//
//   - [Env] is a running API server with its store. [Start] makes one, [Env.Stop] ends it.
//   - [Config] says how. Its zero value works.
//   - [Shared] is one environment for all the tests of a package.
//   - [New] is an environment for one test, which has wishes of its own.
//   - [Kubectl] is a program to drive it with, built in the same way.
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
// # What runs there
//
// The API server alone: no kubelet, no scheduler and no controllers. Pods stay as they are written, a deployment makes no
// pods, and a namespace that is deleted stays "Terminating" since nobody empties it. Admission of service accounts is off,
// so that pods can be written without them.
//
// Two users have tokens, [AdminUser] and [PlainUser]; the former also has a client certificate. [Env.Kubeconfig] has both.
// The server's certificate is signed by an authority made for this environment, so clients verify it as they should.
//
// # What ends it
//
// Servers and files are gone when Stop returns. They also go, a moment later, if the test panics, runs into the timeout of
// go test, or is killed, be it with kill -9. Logs go with them: set Config.Output to see them.
//
// # Trouble to make
//
// [Env.KillAPIServer] and [Env.StopAPIServer] take the server away, rudely or politely; [Env.StartAPIServer] brings it back
// at the same address with the same data, and [Env.RestartAPIServer] does both. [Env.Compact] makes etcd forget old
// versions; see there for which requests are then answered with 410 Gone.
//
// # Where the programs are kept
//
// In vedette/testenv under [os.UserCacheDir], by version. The environment variable VEDETTE_TESTENV_DIR names another
// folder. `testenv clean` removes them.
package testenv
