// Package testing is what the fake clients have in common: a record of what was asked of them, and functions that answer in
// place of the server.
//
//	client := fake.NewSimpleClientset()
//	client.PrependReactor("create", "pods", func(action testing.Action) (bool, runtime.Object, error) {
//		return true, nil, errors.New("no more pods today")
//	})
//
// # Types
//
//   - [Fake] is embedded in every fake client. It has the actions so far, and the chains of reactors.
//   - [Action] is one request, as one of the types with names such as [CreateActionImpl]. The functions with names such as
//     [NewCreateAction] make them, to compare with.
//   - [ReactionFunc], [WatchReactionFunc] and [ProxyReactionFunc] answer actions.
//   - [ObjectTracker] is the way to the objects that goes past the reactors. [NewObjectTracker] makes one for fake clients
//     of your own.
//
// # What holds
//
//   - An action is recorded when the request is made, before a reactor sees it, in the order in which requests come.
//   - Reactors are asked in the order of the chain; the first that handles an action answers it. In a fake client the last one is
//     the server, an API server of package apitest in this process. So a reactor that is appended is not asked for anything, and
//     one that is prepended is asked first.
//   - Reactors run in the goroutine of the caller, and no lock is held: they may use the client.
//   - A reactor has an action of its own, which it may change. The objects in it are copies of what the caller sent.
//   - What a reactor returns is sent to the client as the server would: an error that is a Status arrives as one, other errors
//     are found by errors.Is.
package testing
