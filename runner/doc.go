// Package runner runs the controllers of a program: it starts what they need, says how they are, lets one replica of several
// do the work, and stops everything in order.
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
//   - Config: what is run. Run runs it until it is told to stop, or something fails.
//   - Options: what operators set, with the flags that they know: --kubeconfig, --leader-elect, --metrics-bind-address,
//     --health-probe-bind-address and so on.
//
// # In which order
//
//  1. The addresses for health checks and metrics are opened: a port that is taken is known at once.
//  2. The factories start their informers; a replica that is not the leader has its caches warm, too.
//  3. With --leader-elect, nothing more happens until this replica is the leader.
//  4. The controllers run, all at the same time.
//  5. At the first SIGINT or SIGTERM, at the end of the context, when the lease is lost or a controller fails, the controllers are
//     told to stop, and have their time for it: see controller.Config.StopTimeout.
//     With --leader-elect, a request that a reconcile makes with its context after the lease was lost is not sent. For requests with
//     other contexts there is Config.Gate.
//  6. The lease is given back, so that another replica goes on at once. Then the informers stop, then the listeners.
//
// A second signal ends the process at once.
//
// # What probes see
//
//   - /healthz fails when a restart would help: the lease has run out and the work has not stopped.
//   - /readyz fails while an informer has not synced or fails, and while a controller should run and does not.
//   - Both list their checks with ?verbose, and serve one alone at /readyz/NAME.
//   - /metrics is Config.MetricsHandler, if there is one.
//   - They answer anyone who reaches the address, with the names of the checks that fail. Why one fails is logged, once per change:
//     errors tell names of objects and addresses.
//   - With --debug-endpoints, /debug/controllers shows what the controllers do, and /debug/explain?controller=C&key=K where a
//     key is on its way. They answer direct connections from the same machine, for localhost: kubectl port-forward is enough.
//   - /debug/vedette/ is Config.Console, if there is one: a live page, which console.Handler makes. It asks for a token, or answers
//     its own machine alone; kubectl port-forward is enough to see it.
package runner
