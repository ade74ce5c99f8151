// Package written says what the work with a context has written to the server.
//
// The owner of a shard puts a function into the context of work; the client, which gets that context, calls it with the version
// that each write has made. So the next owner of the shard can wait until its informer has that version.
package written

import "context"

// Write is an object as a write has left it.
type Write struct {
	// Group and Resource are those of the request.
	Group, Resource string
	// Namespace, Name and Version are in the response.
	Namespace, Name, Version string
}

type key struct{}

// With returns a context with a function that is called after each write that has succeeded, before the client returns.
func With(ctx context.Context, record func(Write)) context.Context {
	return context.WithValue(ctx, key{}, record)
}

// From returns the function of a context, or nil.
func From(ctx context.Context) func(Write) {
	record, _ := ctx.Value(key{}).(func(Write))
	return record
}
