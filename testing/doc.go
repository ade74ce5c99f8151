// Package testing is the common part of the fake clients: a record of their actions, and reactors that answer in place
// of the server.
//
//	client := fake.NewSimpleClientset()
//	client.PrependReactor("create", "pods", func(action testing.Action) (bool, runtime.Object, error) {
//		return true, nil, errors.New("no more pods today")
//	})
//
// # Types
//
//   - [Fake] is embedded in every fake client. It has the actions so far, and the chains of reactors.
//   - [Action] is one request, as one of the types with names such as [CreateActionImpl]. The functions with names such
//     as [NewCreateAction] create them, for comparison.
//   - [ReactionFunc], [WatchReactionFunc] and [ProxyReactionFunc] answer actions.
//   - [ObjectTracker] gives access to the objects without reactors. [NewObjectTracker] returns one for fake clients of
//     your own.
//
// # Guarantees
//
//   - An action is recorded when the request is made, before a reactor is called, in the order of the requests.
//   - Reactors are called in the order of the chain; the first that handles an action answers it. In a fake client the
//     last one is the server, an API server of package apitest in this process. So an appended reactor is never called,
//     and a prepended one is called first.
//   - Reactors run in the goroutine of the caller, without a lock: they may use the client.
//   - A reactor gets its own copy of the action, which it may modify. The objects in it are copies of what the caller
//     sent.
//   - The object that a reactor returns is sent to the client as the server would. An error is returned as it is.
package testing
