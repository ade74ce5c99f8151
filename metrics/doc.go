// Package metrics shows a program to Prometheus: its informers with their shards and handlers, work queues, controllers, requests
// and elections.
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
//   - [Metrics]: what is registered, with a method for each sort of thing to measure. [New] makes one for a registerer of
//     your choice. There is no other state: no default registry, nothing that is set once for the process.
//   - [REST]: the requests of the clients of one cluster, with an end.
//   - [Factory], and Informer and Informers of Metrics: informers, which are read when somebody looks and not before.
//   - Shards of Metrics: an informer of package shard ([Sharded]), with each of its shards.
//
// All names, with their labels and what they mean, are in docs/metrics.md, and docs/grafana/vedette.json is a dashboard
// made for them. Where Kubernetes, client-go or controller-runtime have a metric, it has their name and labels, so that
// dashboards and alerts that are known go on to work.
//
// # What always holds
//
//   - Series die with what they describe: those of a queue when it has shut down, of a controller when it has stopped, of an
//     informer when it has stopped, of a shard and of a handler when it was removed. Those of a host end with Close of the [REST]
//     that saw it, since clients have no end, and those of an election when the elector closes its metric.
//   - Things of one name share series, which end with the last of them. What counts is added up.
//   - Informers cost nothing between two scrapes. A scrape reads the State of each, and takes some 0.1 ms for it.
//   - Labels have few values. Neither keys nor errors are labels; for those look at the State of an informer and at
//     the Explain of a controller.
//
// # Lag
//
// How old is what my informer shows? There are three answers, and each is measured where it can be measured honestly.
//
//   - How long changes wait inside this process is vedette_informer_lag_seconds, from the receipt to the store, and
//     vedette_informer_handler_waiting_age_seconds, from the store to a handler that is behind.
//   - Whether the server is heard of at all is vedette_informer_last_event_age_seconds. Servers send a bookmark about once
//     a minute when nothing happens, so that more than two minutes mean that nothing comes through.
//   - How long a change took from the server to here is not measured. Events do not say when they were made: the time of
//     creation is that of the object, which a watch with a selector may add years later, is in whole seconds, and is by
//     another clock.
package metrics
