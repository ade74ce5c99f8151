// Package podserver is an API server that has nothing but pods, for benchmarks of clients.
//
//   - [Start] runs it in a process of its own, so that what it costs is not taken for the client's.
//   - [Serve] is that process. A program that calls Start must call it when its first argument is [Command].
//   - [NewHandler] is the server itself.
//
// It speaks plain HTTP/1.1, uncompressed, in JSON and in protobuf: lists, whole or in pages, and watches, which may begin with all
// pods (sendInitialEvents). The pods are those of package pods, written as they are sent: the server keeps none of them, only
// which change has made each what it is. As a real server does with a long list, it does not say how long the answer will be.
//
// [Process.Tell] has pods changed or deleted, or watches end with 410. Each change brings an object of its own, and is sent as
// fast as the client reads.
package podserver
