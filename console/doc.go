// Package console is a live web page of a running program: its informers, controllers and queues, what is slow or fails in
// them and why, their objects, and where a key is on its way. Any program mounts it with a line:
//
//	mux.Handle("/debug/vedette/", console.Handler(console.Config{
//		Informers:   []console.Informers{console.Factory("", factory)},
//		Controllers: []console.Controller{pods, nodes},
//	}))
//
// The types:
//
//   - [Page]: the page, an http.Handler that only reads. [Handler] makes one of a [Config].
//   - [Informers]: what is shown as a pipeline. [Factory] is all informers of a factory, [Informer] a single one.
//   - [Controller] is a *controller.Controller, and [Queue] a work queue, which [QueueOf] makes.
//   - [Reconciles]: measures how long reconciles take, if controllers have it as their Metrics.
//   - [Sharded]: what is spread over shards, each of which is a [ShardView]. [Shards] makes one of a sharding informer.
//
// Every view has an address, relative to where the page is mounted: the pipeline (""), charts, objects, object, queues, shards,
// explain and informer. The pipeline, queues, shards and explain tell programs the same with ?format=json. docs/console.md
// shows them.
//
// # Who may look
//
//   - Without a token: only direct connections from 127.0.0.1 or ::1 to a loopback address, for a name of this machine. Requests
//     with a header that proxies and service meshes add, and those of scripts of other sites, are refused.
//   - With Config.Token: only viewers who present it, wherever they are. Wrong tokens are limited to one a second.
//   - The page loads nothing from elsewhere, and its content security policy does not let it.
//
// # What is never shown
//
//   - The data of Secrets, and values that an index of Secrets is made of, other than their namespaces.
//   - Fields that an object names in its annotation vedette.dev/hide: "spec.password, spec.users.*.pin".
//   - The copy of an object that kubectl keeps in an annotation. Managed fields are shown on request.
//   - What Config.Redact takes out.
//   - What is hidden is hidden in lists, too, and cannot be searched for by labels or indexes.
//   - Errors, keys and sizes are shown as they are: what a reconciler puts into its errors, people can read here.
//
// # What it costs
//
//   - Nothing while nobody looks: there is no goroutine and no handler, and the first request reads the templates.
//   - With a viewer, one reading a second, by the goroutine of the request: half a percent of a core with 20 informers.
//     More viewers share the readings. Tabs that nobody sees do not stream.
//   - Looks at very long queues and very large stores are spared: each takes about a two hundredth of a core at most.
//   - Charts are rings of fixed size, 3.6 KB a line and at most 256 lines. They begin when somebody looks for the first time;
//     [Page.Run] gives them a past, for a reading every five seconds.
//
// # Leaving it out
//
// A program that is built with -tags vedette_noconsole has a page that answers 404, and neither the templates nor the assets.
package console
