// Package metrics exports a program to Prometheus: its informers with their shards and handlers, work queues,
// controllers, requests and elections.
//
//	registry := prometheus.NewRegistry()
//	m, err := metrics.New(registry)
//	...
//	config.Metrics = m.REST()                              // of a rest.Config
//	remove, err := metrics.Factory(m, "cluster-1", factory) // an informers.Factory
//	...
//	c, err := controller.New(controller.Config[cache.ObjectName]{
//		...
//		Metrics:      m.Reconcile(),
//		QueueMetrics: m.Workqueue(),
//	})
//	http.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
//
// The types:
//
//   - [Metrics]: the registered metrics, with a method for each part of a program. [New] registers them with a
//     registerer of your choice. There is no global state: no default registry, and no provider that is set once per
//     process.
//   - [NewInformers]: the same for informers alone, for a registerer that has the metrics of controller-runtime.
//   - [REST]: the requests of the clients of one cluster, which can be closed.
//   - [Factory], and Informer and Informers of Metrics: informers, which are read only by a scrape.
//   - Group of Metrics: a group of replicas of package shardgroup.
//   - Shards of Metrics: an informer of package shard ([Sharded]), with each of its shards.
//
// All names, labels and meanings are in docs/metrics.md, and docs/grafana/vedette.json is a dashboard for them. A
// metric that exists in Kubernetes, client-go or controller-runtime has the same name and labels, so that existing
// dashboards and alerts keep working.
//
// # Guarantees
//
//   - Series end with what they describe: those of a queue when it has shut down, of a controller or an informer when
//     it has stopped, of a shard or a handler when it was removed. Those of a host end with Close of its [REST], since
//     clients have no end, and those of an election when the elector closes its metric.
//   - Things of the same name share series, which end with the last of them. Counts are added up.
//   - Informers cost nothing between two scrapes. A scrape reads the State of each, which takes about 0.1 ms.
//   - Labels have low cardinality. Neither keys nor errors are labels; see the State of an informer and Explain of a
//     controller for those.
//
// # Lag
//
// How stale is an informer? There are three answers, and each is measured where that is possible.
//
//   - The delay inside this process is vedette_informer_lag_seconds, from the receipt of a change to the store, and
//     vedette_informer_handler_waiting_age_seconds, from the store to a handler that is behind.
//   - Whether anything is received from the server is vedette_informer_last_event_age_seconds. Servers send a bookmark
//     about once a minute when nothing happens, so that more than two minutes mean that the watch is stuck.
//   - The delay from the server to here is not measured. Events have no timestamp: the creation time is that of the
//     object, which a watch with a selector may add years later, is in whole seconds, and comes from another clock.
package metrics
