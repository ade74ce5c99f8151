// Package apitest is a Kubernetes API server for tests, as httptest is an HTTP server for tests.
//
//	func TestController(t *testing.T) {
//		server := apitest.New(t, apitest.Config{})
//		client := kubernetes.NewForConfigOrDie(server.RESTConfig())
//		...
//	}
//
// It runs in the process of the test, starts in a millisecond, uses real HTTP, serves every built-in kind and the kinds
// of CustomResourceDefinitions, and behaves like kube-apiserver in everything that clients can see. Intentional
// differences are in docs/apitest.md.
//
// # Types
//
//   - [Server] is a running server. [New] starts one for a test, [Start] for other uses.
//   - [Config] configures it. The zero value works: a server on a local port, with TLS and one user.
//   - [User] is the user of a bearer token.
//   - [Request] is the argument of [Config.Allow].
//   - [Load] is a large number of objects, for [Server.Fill]; [Churn] is changes at a steady rate, for [Server.Churn].
//   - [Fault] is an injected fault: an [Effect], the requests that it applies to ([Match]), and how often.
//     [Server.Inject] returns an [Injection], which counts and can be removed. [ParseFault] parses one from text.
//   - [Server.CutConnections], [Server.RefuseConnections] and [Server.Compact] affect all clients at once.
//
// # Guarantees
//
//   - Everything that a client can do, a test can do without one: see [Server.Create] and the methods next to it. The
//     caller owns their results.
//   - There is one sequence of resource versions. A list, a watch and an object with the same version belong to the
//     same state.
//   - A watch sends every change after its version, once, in order. One that is too slow is ended; events are never
//     dropped.
//   - Faults affect only what they match: other requests are handled normally, and so are all when the faults are
//     removed. A connection that was made silent stays so.
//   - When [Server.Close] returns, no goroutine of the server is left, and its connections are closed.
//   - All timing uses package time, so a server with [Config.InMemory] works in a testing/synctest bubble, where a day
//     of watches, bookmarks and timeouts passes in milliseconds.
package apitest
