// Package runner runs the controllers of a program: it starts their informers, serves health checks, elects a leader
// among several replicas, and stops everything in order.
//
//	var options runner.Options
//	options.AddFlags(flag.CommandLine)
//	flag.Parse()
//	config, err := options.RESTConfig()
//	...
//	err = runner.Run(ctx, runner.Config{
//		Options:     options,
//		RESTConfig:  config,
//		Factories:   []runner.Factory{factory},
//		Controllers: []runner.Controller{pods, nodes},
//	})
//
// The types:
//
//   - Config: what to run. Run runs it until it is told to stop, or something fails.
//   - Options: what operators set, with the flags that they know: --kubeconfig, --leader-elect, --metrics-bind-address,
//     --health-probe-bind-address and so on.
//
// # Order
//
//  1. The addresses for health checks and metrics are opened, so that a port in use is detected at once.
//  2. The factories start their informers; the caches of replicas that are not the leader are warm, too.
//  3. With --leader-elect, Run waits until this replica is the leader.
//  4. The controllers run concurrently. With Config.Group, they work in the shards that this replica owns.
//  5. At the first SIGINT or SIGTERM, at the end of the context, when the lease is lost or a controller fails, the
//     controllers are told to stop, and have controller.Config.StopTimeout for it. With --leader-elect, requests that a
//     reconcile makes with its context after the lease was lost are not sent. For requests with other contexts there is
//     Config.Gate. With Config.Group, the replica gives its shards to others first, and leaves the group; then the
//     controllers are told to stop.
//  6. The lease is released, so that another replica takes over at once. Then the informers stop, then the HTTP
//     servers.
//
// A second signal ends the process at once.
//
// # Endpoints
//
//   - /healthz fails when a restart would help: the lease has expired and the controllers have not stopped.
//   - /readyz fails while an informer has not synced or fails, while a controller should be running and is not, and while
//     Config.Group has not been joined or has no map.
//   - Both list their checks with ?verbose, and serve one alone at /readyz/NAME.
//   - /metrics is Config.MetricsHandler, if there is one.
//   - They answer any client, with the names of the failing checks. The errors are only logged, once per change,
//     because they contain names of objects and addresses.
//   - With --debug-endpoints, /debug/controllers shows what the controllers do, and /debug/explain?controller=C&key=K
//     the stage of a key. They answer only direct connections from the same machine, for localhost: use kubectl
//     port-forward.
//   - /debug/vedette/ is Config.Console, if there is one: a live page, see console.Handler. It requires a token, or
//     answers the same machine only; use kubectl port-forward.
package runner
