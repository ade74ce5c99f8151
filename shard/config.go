package shard

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
	"vedette.dev/rest"
)

// Config says what an informer looks at, and how that is divided. Resource, Source, and REST or Client are needed; the rest has
// a zero value that works.
type Config[T cache.Object] struct {
	// Resource is what to list and watch.
	Resource schema.GroupVersionResource
	// REST is how to reach the server. It is not needed if all shards name a cluster of their own.
	REST *rest.Config
	// Client makes the client for a namespace of a cluster, in the place of REST: the clients of packages dynamic, metadata and
	// gentype are Requesters, and so are those of package kubernetes behind their interfaces. Both names may be empty.
	Client func(cluster, namespace string) (cache.Requester, error)
	// Example is an object of the type and kind to expect. It may be nil if T is a pointer to a struct.
	Example T

	// Source says which shards there are.
	Source Source
	// Partial says that hashes may be in no shard: others look after them.
	Partial bool
	// Tenant says how tenants are told apart, for shards that are of one.
	Tenant Tenancy
	// Tweak changes the options of each list and watch, for what all shards have in common.
	Tweak func(options *metav1.ListOptions)
	// NoServerSelection disables selection by hash on the server.
	NoServerSelection bool

	// Informer is as for other informers. Its Logger counts for nothing.
	Informer cache.SharedIndexInformerOptions
	// Logger receives errors and changes of the shards. Nil means silent.
	Logger *slog.Logger
}

func (c *Config[T]) validate() error {
	switch {
	case c.Resource.Resource == "" || c.Resource.Version == "":
		return fmt.Errorf("shard: Config.Resource is %q, want a resource with its version", c.Resource)
	case c.Source == nil:
		return errors.New("shard: Config.Source is nil, so that there are no shards")
	case c.REST != nil && c.Client != nil:
		return errors.New("shard: Config has both REST and Client")
	}
	if w, ok := c.Source.(wrong); ok {
		return w.err
	}
	if _, err := c.example(); err != nil {
		return err
	}
	return c.Tenant.validate()
}

// example is an object of the type to expect.
func (c *Config[T]) example() (runtime.Object, error) {
	var none T
	var obj any = c.Example
	if c.Example == none {
		t := reflect.TypeFor[T]()
		if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
			return nil, fmt.Errorf("shard: Config.Example is nil, and %v does not say what objects are", t)
		}
		obj = reflect.New(t.Elem()).Interface()
	}
	out, ok := obj.(runtime.Object)
	if !ok {
		return nil, fmt.Errorf("shard: Config.Example is a %T, which is no API object", obj)
	}
	return out, nil
}
