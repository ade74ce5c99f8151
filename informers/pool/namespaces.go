package pool

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"vedette.dev/cache"
)

// Config says how a pool is to be. The zero value works.
type Config struct {
	// Namespaces are those that informers look at. Nil means that the pool has nothing to say about it.
	Namespaces []string
}

func (c Config) validate() error {
	if err := checkNamespaces(c.Namespaces); err != nil {
		return fmt.Errorf("pool: Config.Namespaces: %w", err)
	}
	return nil
}

// namespaces is a set that informers follow. It is shared with leases.
type namespaces struct {
	following sync.Mutex // held while informers are told
	mu        sync.Mutex // guards set
	set       []string   // sorted; nil if it cannot be changed
}

// checkNamespaces finds what cannot be a namespace.
func checkNamespaces(names []string) error {
	for _, name := range names {
		if name == "" || strings.Contains(name, "/") {
			return fmt.Errorf("%q is not the name of a namespace", name)
		}
	}
	return nil
}

// sortedSet is nil for nil only.
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
		return errors.New("pool: the namespaces cannot be set: there were none in the configuration")
	}
	n.set = set
	return nil
}

// Namespaces returns the namespaces that the informers look at, sorted. It is nil if they cannot be set.
func (p *Pool[K]) Namespaces() []string { return p.shared.namespaces.get() }

// SetNamespaces says which namespaces the informers look at from now on, those that there are and those that are still to
// be made, in this pool and in all that share its informers. A namespace that is new is listed, and the others are not; of
// one that is left out, handlers hear that its objects are deleted. It is an error for a pool that was made without
// namespaces.
func (p *Pool[K]) SetNamespaces(names ...string) error {
	if err := checkNamespaces(names); err != nil {
		return fmt.Errorf("pool: SetNamespaces: %w", err)
	}
	n := p.shared.namespaces
	if err := n.change(sortedSet(append([]string{}, names...))); err != nil {
		return err
	}
	// Of two that are set at the same time, the one that was set last is told last.
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

// follow tells an informer, if it has namespaces, and has not ended.
func follow(informer cache.SharedIndexInformer, set []string) error {
	n, ok := informer.(cache.NamespacedInformer)
	if !ok {
		return nil
	}
	if err := n.SetNamespaces(set...); err != nil && !n.IsStopped() {
		return err
	}
	return nil
}
