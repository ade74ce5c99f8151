// Package suites runs controller-runtime's own tests on Vedette's informers and queues, on a real kube-apiserver. It copies the source of
// the version that go.mod names out of the module cache into a temporary folder, and changes where its cache and its queue are made:
//
//	pkg/cache        the tests call NewCacheWith of bridge/ctrl where they call cache.New
//	pkg/cluster      the default of Options.NewCache
//	pkg/controller   the default of Options.NewQueue
//
// TestClientGo runs client-go's own tests of tools/cache in copies that "vedette patch-client-go" has written.
//
// The package componentbase compares the series of metrics of k8s.io/component-base, on client-go and on Vedette.
//
// TestCache and TestClientGo run each time. The tests of the other packages run if the environment variable BRIDGE_SUITES is "all", which is what
// `make bridge-suites` sets.
package suites
