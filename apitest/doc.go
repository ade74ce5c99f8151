// Package apitest is a Kubernetes API server for tests, as httptest is a server for tests of HTTP.
//
//	func TestController(t *testing.T) {
//		server := apitest.New(t, apitest.Config{})
//		client := kubernetes.NewForConfigOrDie(server.RESTConfig())
//		...
//	}
//
// It runs in the process of the test, starts in a millisecond, speaks real HTTP, serves every built-in kind and the kinds of
// CustomResourceDefinitions, and does what kube-apiserver does in all that clients can see. What differs on purpose stands
// in docs/apitest.md.
//
// # Types
//
//   - [Server] is a running server. [New] starts one for a test, [Start] for other uses.
//   - [Config] says how. Its zero value works: a server at a local port, with TLS, that knows one user.
//   - [User] is who a bearer token belongs to.
//   - [Request] is what a rule of [Config.Allow] decides about.
//   - [Load] is objects in large numbers, for [Server.Fill]; [Churn] is changes at a steady rate, for [Server.Churn].
//   - [Fault] is trouble on demand: an [Effect], the requests that it happens to ([Match]), and how often. [Server.Inject] makes
//     an [Injection] of it, which counts and can be removed. [ParseFault] reads one from text.
//   - [Server.CutConnections], [Server.RefuseConnections] and [Server.Compact] are trouble for everybody, now.
//
// # What holds
//
//   - Everything that a client can do, a test can do without one: see [Server.Create] and the methods next to it. What they
//     return is the caller's to change.
//   - Resource versions are of one line. A list, a watch and an object that say the same version mean the same state.
//   - A watch sends every change after its version, once, in order. One that is too slow is ended, never thinned out.
//   - Faults do not add up to other ones: what none matches is answered as ever, and when all are removed, so is everything. A
//     connection that was made silent stays so.
//   - When [Server.Close] returns, no goroutine of the server is left, and its connections are closed.
//   - Nothing reads a clock but by package time, so a server with [Config.InMemory] lives in a testing/synctest bubble, and a
//     day of watches, bookmarks and time limits passes in milliseconds.
package apitest
