// Package controller runs reconcilers for the objects of informers.
//
//	factory := informers.NewSharedInformerFactory(clientset, 0)
//	pods := factory.Core().V1().Pods()
//	c, err := controller.New(controller.Config[cache.ObjectName]{
//		Name:    "pods",
//		Workers: 4,
//		Sources: []controller.Source[cache.ObjectName]{controller.For(pods.TypedInformer())},
//		Reconcile: func(ctx context.Context, name cache.ObjectName) (controller.Result, error) {
//			pod, err := pods.Lister().Pods(name.Namespace).Get(name.Name)
//			...
//		},
//	})
//	factory.StartWithContext(ctx)
//	err = c.Run(ctx)
//
// The types:
//
//   - Controller: workers that take keys from a queue and call Reconcile. New creates one from a [Config].
//   - Source: where keys come from. For enqueues the objects of an informer, [Owns] their owners, [Watches] the keys that a
//     function returns for them; [Channel] and [Every] need no informer. Other sources can be implemented.
//   - Predicate: selects the events that lead to a reconcile.
//   - Result, [Terminal]: what should happen to the key after a reconcile.
//   - State: what a controller is doing. QueueSnapshot: which keys are queued. Explanation: which stage a key is in,
//     and why.
//
// Package runner runs several controllers in a program, with health checks, leader election and signals.
//
// # Guarantees
//
//   - A key is reconciled by one worker at a time. Events during a reconcile cause another one afterwards.
//   - No key is reconciled before all sources are ready, that is, have enqueued every object of their initial list.
//   - Events of a key that arrive before a worker takes it are coalesced into one reconcile. Objects of the initial
//     list have a lower priority than current events, but are not starved.
//   - A reconcile that fails, panics or times out is retried after a backoff of that key. Other keys are not delayed.
//   - When Run has returned, no goroutine of the controller is left, unless its error is an [ErrStopTimeout].
//
// # Blocking
//
//   - A worker blocks while its reconcile runs; other keys wait for a free worker.
//   - Adding a key to the queue never blocks a source.
//   - Predicates and mapping functions run in the goroutine that delivers the events of the source: a slow one delays
//     its own source only.
//
// # Why is a key stuck?
//
// Explain names the stage that a key is in: not watched, filtered, waiting for a worker, backing off until a time,
// being reconciled since a time, waiting for the client's rate limiter or for the server, and so on. It combines the
// state of informers, queue and workers with records of recent events. The records have a fixed size: those of recent
// and of failing keys are kept, others may have been overwritten. They take 64 KiB, and at most 64 bytes for each
// object above a thousand; a negative Config.Records turns them off.
package controller
