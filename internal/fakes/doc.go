// Package fakes puts reactors between a real client and an API server of this process. Together they are a fake client.
//
//	client ──▶ Transport ──▶ reactors ──▶ server (apitest)
//	            │ records an Action
//
// [Transport] is an http.RoundTripper. It converts each request to an action, records it, and calls the reactors of a
// testing.Fake. The result of a reactor is sent to the client as the server would have sent it; actions that no reactor
// handles go to the server. Nothing runs between requests.
package fakes
