// Package console is a live web page of a running program. It shows its informers, controllers and queues, what is slow
// or fails in them and why, their objects, and the stage of a key. A program mounts it with one line:
//
//	mux.Handle("/debug/vedette/", console.Handler(console.Config{
//		Informers:   []console.Informers{console.Factory("", factory)},
//		Controllers: []console.Controller{pods, nodes},
//	}))
//
// The types:
//
//   - [Page]: the page, a read-only http.Handler. [Handler] creates one from a [Config].
//   - [Informers]: the informers to show as a pipeline. [Factory] shows all informers of a factory, [Informer] a single
//     one.
//   - [Controller] is a *controller.Controller, and [Queue] a work queue, created by [QueueOf].
//   - [Reconciles]: measures the duration of reconciles, if controllers have it as their Metrics.
//   - [Sharded]: something spread over shards, each of which is a [ShardView]. [Shards] returns that of a sharding
//     informer.
//
// Every view has an address, relative to where the page is mounted: the pipeline (""), charts, objects, object, queues,
// shards, explain and informer. The pipeline, queues, shards and explain return JSON with ?format=json. docs/console.md
// shows them.
//
// # Access
//
//   - Without a token: only direct connections from 127.0.0.1 or ::1 to a loopback address, for a name of this machine.
//     Requests with a header that proxies and service meshes add, and those of scripts of other sites, are rejected.
//   - With Config.Token: only viewers who present it, from any address. Wrong tokens are limited to one a second.
//   - The page loads nothing from elsewhere, and its content security policy does not let it.
//
// # What is never shown
//
//   - The data of Secrets, and the values of indexes of Secrets, other than their namespaces.
//   - Fields listed in an object's annotation vedette.dev/hide: "spec.password, spec.users.*.pin".
//   - The last-applied-configuration annotation of kubectl. Managed fields are shown on request.
//   - What Config.Redact removes.
//   - Hidden values are hidden in lists, too, and cannot be searched for by labels or indexes.
//   - Errors, keys and sizes are shown as they are, including what a reconciler puts into its errors.
//
// # Cost
//
//   - Without viewers, none: there is no goroutine and no handler, and templates are parsed at the first request.
//   - With a viewer, one reading a second, in the goroutine of the request: half a percent of a core with 20 informers.
//     Viewers share the readings. Tabs in the background do not stream.
//   - Very long queues and very large stores are scanned less often: each takes about a two hundredth of a core at
//     most.
//   - Charts are ring buffers of fixed size, 3.6 KB a line and at most 256 lines. They start with the first viewer;
//     [Page.Run] fills them in the background, with a reading every five seconds.
//
// # Leaving it out
//
// A program built with -tags vedette_noconsole has a page that answers 404, and contains neither templates nor assets.
package console
