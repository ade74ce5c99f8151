// Package fakes puts reactors between a real client and an API server of this process. Together they are a fake client.
//
//	client ──▶ Transport ──▶ reactors ──▶ server (apitest)
//	            │ records an Action
//
// [Transport] is an http.RoundTripper. It reads each request as the action that it is, records it, and asks the reactors of a
// testing.Fake. What a reactor answers is sent to the client in the form in which the server would have sent it; what none of them
// handles goes to the server. Nothing runs between requests.
package fakes
