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

// Config configures a sharding informer. Resource, [Source], and REST or Client are required; the zero values of all
// other fields work.
type Config[T cache.Object] struct {
	// Resource is the resource to list and watch.
	Resource schema.GroupVersionResource
	// REST is the configuration of the client. It is not required if all shards have a cluster of their own.
	REST *rest.Config
	// Client returns the client for a namespace of a cluster, in place of REST: the clients of packages dynamic,
	// metadata and gentype are Requesters, and so are those of package kubernetes behind their interfaces. Both names
	// may be empty.
	Client func(cluster, namespace string) (cache.Requester, error)
	// Example is an object of the expected type and kind. It may be nil if T is a pointer to a struct.
	Example T

	// Source supplies the shards.
	Source Source
	// Partial allows hashes that are in no shard: other processes have them.
	Partial bool
	// Tenant configures how the tenant of an object is determined, for shards by tenant.
	Tenant Tenancy
	// Tweak modifies the options of each list and watch of all shards.
	Tweak func(options *metav1.ListOptions)
	// NoServerSelection disables selection by hash on the server.
	NoServerSelection bool

	// Informer has the same meaning as for other informers. Its Logger is not used.
	Informer cache.SharedIndexInformerOptions
	// Logger receives errors and changes of the shards. Nil means no logging.
	Logger *slog.Logger
}

func (c *Config[T]) validate() error {
	switch {
	case c.Resource.Resource == "" || c.Resource.Version == "":
		return fmt.Errorf("shard: Config.Resource is %q, want a resource with a version", c.Resource)
	case c.Source == nil:
		return errors.New("shard: Config.Source is nil")
	case c.REST != nil && c.Client != nil:
		return errors.New("shard: Config.REST and Config.Client cannot be combined")
	}
	if w, ok := c.Source.(wrong); ok {
		return w.err
	}
	if _, err := c.example(); err != nil {
		return err
	}
	return c.Tenant.validate()
}

// example returns an object of the expected type.
func (c *Config[T]) example() (runtime.Object, error) {
	var none T
	var obj any = c.Example
	if c.Example == none {
		t := reflect.TypeFor[T]()
		if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
			return nil, fmt.Errorf("shard: Config.Example is nil, but T is %v", t)
		}
		obj = reflect.New(t.Elem()).Interface()
	}
	out, ok := obj.(runtime.Object)
	if !ok {
		return nil, fmt.Errorf("shard: Config.Example is a %T, not an API object", obj)
	}
	return out, nil
}
