package cache

import (
	"errors"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// InformerName is the name under which a program counts its informers. A nil one means that they are not counted.
type InformerName struct {
	name     string
	mu       sync.Mutex
	released bool
	reserved map[schema.GroupVersionResource]*atomic.Bool
}

// NewInformerName returns a name, which must not be empty. Names are not compared with those of others in the process:
// there is no list of them. Whoever makes metrics of them sees when two are the same.
func NewInformerName(name string) (*InformerName, error) {
	if name == "" {
		return nil, errors.New("informer name cannot be empty")
	}
	return &InformerName{name: name, reserved: map[schema.GroupVersionResource]*atomic.Bool{}}, nil
}

// Name returns what NewInformerName was given.
func (n *InformerName) Name() string {
	if n == nil {
		return ""
	}
	return n.name
}

// WithResource returns the identity of one informer. The first for a resource is reserved for metrics, later ones are
// not.
func (n *InformerName) WithResource(gvr schema.GroupVersionResource) InformerNameAndResource {
	if n == nil {
		return InformerNameAndResource{gvr: gvr}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	flag := new(atomic.Bool)
	if n.reserved[gvr] == nil && !n.released {
		flag.Store(true)
		n.reserved[gvr] = flag
	}
	return InformerNameAndResource{name: n.name, gvr: gvr, reserved: flag}
}

// Release ends all reservations under the name.
func (n *InformerName) Release() {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, flag := range n.reserved {
		flag.Store(false)
	}
	clear(n.reserved)
	n.released = true
}

// InformerNameAndResource is the identity of one informer. The zero value is that of one that is not counted.
type InformerNameAndResource struct {
	name     string
	gvr      schema.GroupVersionResource
	reserved *atomic.Bool
}

// Reserved tells whether metrics may be published under this identity.
func (n InformerNameAndResource) Reserved() bool { return n.reserved != nil && n.reserved.Load() }

// Name returns the name of the informer.
func (n InformerNameAndResource) Name() string { return n.name }

// GroupVersionResource returns what the informer watches.
func (n InformerNameAndResource) GroupVersionResource() schema.GroupVersionResource { return n.gvr }
