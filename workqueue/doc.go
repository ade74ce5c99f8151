// Package workqueue turns events into work: queues of keys for any number of producers and workers.
//
// # The types
//
//	TypedInterface             Add, Get, Done           NewTyped → *Typed
//	TypedDelayingInterface     + AddAfter               NewTypedDelayingQueue
//	TypedRateLimitingInterface + AddRateLimited, Forget NewTypedRateLimitingQueue
//	Fair                       + priorities, tenants    NewFair
//	TypedRateLimiter           how long to wait         NewTypedItemExponentialFailureRateLimiter and others
//	TypedInspector             Snapshot, Find           every queue made here; TextSnapshot has the keys as text
//	TypedCanceler              Cancel, Due              every delaying queue made here
//	MetricsProvider            workqueue_* metrics      in each queue's config
//
// The names without Typed are the same at type any. Everything that client-go's util/workqueue exports is here, and
// programs written for it compile when their import path is changed.
//
// # What always holds
//
//   - A key is never processed by two workers at once. A key that is added while it is processing is handed out once more
//     after Done, however often it was added.
//   - Keys leave in the order in which they came, unless a [Fair] queue or the user's [Queue] defines another. A key that is
//     handed out again goes to the end.
//   - A key is added no sooner than its delay is over. Delayed keys whose times are equal come in the order of AddAfter.
//   - After ShutDown all adds are ignored, Get still returns the keys that are ready, and delayed keys are dropped. When
//     ShutDown returns, no goroutine and no timer of the queue is left, whatever its workers do.
//
// # Blocking
//
//   - Add, AddAfter, AddRateLimited, Forget and Done never wait for a worker or for a producer: only, briefly, for a
//     lock. AddAfter and AddRateLimited sleep for 0.1 ms if delayed keys are more than 5 ms late because there is no CPU
//     to deliver them. Get waits for a key. ShutDownWithDrain waits for workers to call Done.
//   - No queue has a goroutine of its own. A timer delivers what is due.
//   - The memory of a queue is bounded by the number of distinct keys, not by the number of adds, and is freed as the
//     queue empties.
//
// # Invalid input
//
// A value that cannot be a key (a slice in an any, a NaN) panics with a message that names its type, and changes nothing.
// Done of a key that is not processing, and all adds after ShutDown, do nothing. A delay that is zero or negative (a NaN
// that was converted to a duration is) adds at once; one too long for the clock waits 292 years. A nil rate limiter panics
// in the constructor. [ParallelizeUntil] with fewer than one worker uses one.
//
// # Time
//
// Queues use the monotonic clock, so that a jump of the wall clock changes nothing, and work in a testing/synctest bubble.
package workqueue
