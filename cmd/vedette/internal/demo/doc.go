// Package demo runs informers and an operator under load, and injects faults: it implements 'vedette demo'.
//
//   - [Demo] is the machine: an informer factory, a sharding informer, and an operator with a custom resource, on a
//     server whose objects change all the time. [Start] starts one for a [Config]: on an API server in this process, or
//     on a cluster, in a namespace of its own.
//   - Demo.Run changes objects and injects faults until it is stopped. Everything that happens is reported by
//     Config.Tell.
//   - [Status] is the current state for a terminal; Demo.Console is the configuration of the console.
//   - [Verdict] is the result: whether the server, every cache, and every handler's view are the same, and whether the
//     operator has done its work.
//   - Demo.Close stops the machine, and removes from a cluster everything that the demo has created there.
//
// # Guarantees
//
//   - Each handler keeps a ledger of what it was called with, and of nothing else. A verdict compares the final states:
//     every object must be in the state that the server has, and no other objects may exist. The ledgers record calls
//     in a wrong order.
//   - Injected faults are reported as such, and not as errors.
//   - When Close has returned, no goroutine of the demo is left.
package demo
