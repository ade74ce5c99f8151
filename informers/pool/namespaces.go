package pool

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"vedette.dev/cache"
	"vedette.dev/internal/engine"
)

// Config configures a pool. The zero value works.
type Config struct {
	// Namespaces are the namespaces that informers watch. If nil, the pool does not set them.
	Namespaces []string
}

func (c Config) validate() error {
	if err := checkNamespaces(c.Namespaces); err != nil {
		return fmt.Errorf("pool: Config.Namespaces: %w", err)
	}
	return nil
}

// namespaces is the set of namespaces of the informers. It is shared with leases.
type namespaces struct {
	following sync.Mutex // held while informers are updated
	mu        sync.Mutex // guards set
	set       []string   // sorted; nil if it cannot be changed
}

// checkNamespaces returns an error for an invalid name of a namespace.
func checkNamespaces(names []string) error {
	for _, name := range names {
		if name == "" || strings.Contains(name, "/") {
			return fmt.Errorf("%q is not the name of a namespace", name)
		}
	}
	return nil
}

// sortedSet returns nil for nil only.
func sortedSet(names []string) []string {
	if names == nil {
		return nil
	}
	set := append([]string{}, names...)
	slices.Sort(set)
	return slices.Compact(set)
}

func (n *namespaces) get() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.set)
}

func (n *namespaces) change(set []string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.set == nil {
		return errors.New("pool: SetNamespaces needs a pool that was created with Config.Namespaces")
	}
	n.set = set
	return nil
}

// Namespaces returns the namespaces that the informers watch, sorted. It is nil if they cannot be set.
func (p *Pool[K]) Namespaces() []string { return p.shared.namespaces.get() }

// SetNamespaces sets the namespaces that existing and future informers watch, in this pool and in all pools that share its
// informers. Only new namespaces are listed. For a namespace that is removed, handlers receive deletions of its objects. It
// returns an error if the pool was created without namespaces.
func (p *Pool[K]) SetNamespaces(names ...string) error {
	if err := checkNamespaces(names); err != nil {
		return fmt.Errorf("pool: SetNamespaces: %w", err)
	}
	n := p.shared.namespaces
	if err := n.change(sortedSet(append([]string{}, names...))); err != nil {
		return err
	}
	// Of two concurrent calls, the one that set the namespaces last updates the informers last.
	n.following.Lock()
	defer n.following.Unlock()
	set := n.get()
	var wrong []error
	for _, informer := range p.all() {
		if err := follow(informer, set); err != nil {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

// follow sets the namespaces of an informer, if it has namespaces. An informer that a lease has released in the meantime is
// ending or has ended, which is not an error.
func follow(informer cache.SharedIndexInformer, set []string) error {
	n, ok := informer.(cache.NamespacedInformer)
	if !ok {
		return nil
	}
	if err := n.SetNamespaces(set...); !errors.Is(err, engine.ErrStopped) {
		return err
	}
	return nil
}
