// Package controller turns what informers tell into work done.
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
//   - Controller: workers that take keys from a queue and call Reconcile. New makes one of a Config.
//   - Source: where keys come from. For is the objects of an informer, Owns the owners of such objects, Watches whatever a
//     function makes of them; Channel and Every need no informer. Others can be written.
//   - Predicate: tells which events matter.
//   - Result, Terminal: what a reconcile wants to happen next.
//   - State: what a controller is doing. QueueSnapshot: which keys wait for it. Explanation: where a key is on its way, and why.
//
// Package runner runs several controllers in a program, with health checks, leader election and signals.
//
// # What always holds
//
//   - A key is reconciled by one worker at a time. What happens to it meanwhile makes it run once more afterwards.
//   - Nothing is reconciled before all sources have brought what was there at the start.
//   - Many events of a key before its turn are one reconcile. What was there at the start goes after what happens now, but
//     is not passed over for ever.
//   - A reconcile that fails, panics or runs out of time is tried again, after a back-off of the key's own. Nothing else waits
//     for that.
//   - When Run has returned, nothing of the controller runs, unless its error is an ErrStopTimeout.
//
// # Who waits for whom
//
//   - A worker waits for its reconcile; other keys wait for a free worker.
//   - Nobody waits for the queue: sources add to it and go on.
//   - Predicates and mapping functions run in the goroutine by which the source hears of events: a slow one holds up its own
//     source, and no other.
//
// # Why is a key stuck?
//
// Explain names the stage in which a key is: not watched, filtered, waiting for its turn, backing off until, being worked on
// since, waiting there for the rate limiter of its client or for the server, and so on. It is made of what informer, queue and
// workers know, and of records of what happened last, which have a fixed size: recent and troubled keys are in them, others
// may have made room. The records take 64 KiB, and from a thousand objects on 64 bytes for each of them at most; a negative
// Config.Records turns them off.
package controller
