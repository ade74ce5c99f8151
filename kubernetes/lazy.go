package kubernetes

import (
	"fmt"
	"net/http"
	"sync/atomic"

	"vedette.dev/rest"
)

// source is what the groups' clients are made of: a client for all of them, or else a configuration.
type source struct {
	client     rest.Interface
	config     *rest.Config
	httpClient *http.Client
}

// lazy is the client of a group, made on first use. Only a method that is called refers to its group's constructor: the
// linker leaves out the groups that a program does not use.
type lazy[T any] struct {
	// Invariant: once set, it does not change.
	client atomic.Pointer[T]
}

// get returns the client. Two goroutines may both make one at first; they agree on the one that is kept.
func (l *lazy[T]) get(from *source, forConfig func(*rest.Config, *http.Client) (*T, error), wrap func(rest.Interface) *T) *T {
	if client := l.client.Load(); client != nil {
		return client
	}
	l.client.CompareAndSwap(nil, newClient(from, forConfig, wrap))
	return l.client.Load()
}

func newClient[T any](from *source, forConfig func(*rest.Config, *http.Client) (*T, error), wrap func(rest.Interface) *T) *T {
	if from.client != nil {
		return wrap(from.client)
	}
	client, err := forConfig(from.config, from.httpClient)
	if err != nil {
		panic(fmt.Sprintf("kubernetes: the configuration was accepted, but no client can be made of it: %v", err))
	}
	return client
}
