// Package podserver is an API server that has nothing but pods, for benchmarks of clients.
//
//   - [Start] runs it in a process of its own, so that what it costs is not taken for the client's.
//   - [Serve] is that process. A program that calls Start must call it when its first argument is [Command].
//   - [NewHandler] is the server itself.
//
// It speaks plain HTTP/1.1, uncompressed, in JSON and in protobuf. The pods are those of package pods, written as they
// are sent: the server keeps none of them. As a real server does with a long list, it does not say how long the answer
// will be.
package podserver
