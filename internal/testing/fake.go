package testing

import (
	"fmt"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

// Fake is the common part of fake clients. Its zero value records actions and has no reactors. The lock is for the
// chains and Resources, if they are changed without the methods.
type Fake struct {
	sync.RWMutex
	actions []Action

	// ReactionChain answers actions other than watches.
	ReactionChain []Reactor
	// WatchReactionChain answers watches.
	WatchReactionChain []WatchReactor
	// ProxyReactionChain answers requests to pods and services.
	ProxyReactionChain []ProxyReactor

	// Resources, if set, is the result of discovery.
	Resources []*metav1.APIResourceList
}

// FakeClient has the additional methods of fake clients.
type FakeClient interface {
	// Tracker gives access to the objects without reactors.
	Tracker() ObjectTracker

	AddReactor(verb, resource string, reaction ReactionFunc)
	PrependReactor(verb, resource string, reaction ReactionFunc)
	AddWatchReactor(resource string, reaction WatchReactionFunc)
	PrependWatchReactor(resource string, reaction WatchReactionFunc)
	AddProxyReactor(resource string, reaction ProxyReactionFunc)
	PrependProxyReactor(resource string, reaction ProxyReactionFunc)

	Invokes(action Action, defaultReturnObj runtime.Object) (runtime.Object, error)
	InvokesWatch(action Action) (watch.Interface, error)
	InvokesProxy(action Action) rest.ResponseWrapper

	ClearActions()
	Actions() []Action
}

// AddReactor appends a reactor to the chain. "*" means all verbs or all resources.
func (c *Fake) AddReactor(verb, resource string, reaction ReactionFunc) {
	c.Lock()
	defer c.Unlock()
	c.ReactionChain = append(slices.Clip(c.ReactionChain), &SimpleReactor{verb, resource, reaction})
}

// PrependReactor prepends a reactor to the chain. "*" means all verbs or all resources.
func (c *Fake) PrependReactor(verb, resource string, reaction ReactionFunc) {
	c.Lock()
	defer c.Unlock()
	c.ReactionChain = append([]Reactor{&SimpleReactor{verb, resource, reaction}}, c.ReactionChain...)
}

// AddWatchReactor appends a reactor to the chain.
func (c *Fake) AddWatchReactor(resource string, reaction WatchReactionFunc) {
	c.Lock()
	defer c.Unlock()
	c.WatchReactionChain = append(slices.Clip(c.WatchReactionChain), &SimpleWatchReactor{resource, reaction})
}

// PrependWatchReactor prepends a reactor to the chain.
func (c *Fake) PrependWatchReactor(resource string, reaction WatchReactionFunc) {
	c.Lock()
	defer c.Unlock()
	c.WatchReactionChain = append([]WatchReactor{&SimpleWatchReactor{resource, reaction}}, c.WatchReactionChain...)
}

// AddProxyReactor appends a reactor to the chain.
func (c *Fake) AddProxyReactor(resource string, reaction ProxyReactionFunc) {
	c.Lock()
	defer c.Unlock()
	c.ProxyReactionChain = append(slices.Clip(c.ProxyReactionChain), &SimpleProxyReactor{resource, reaction})
}

// PrependProxyReactor prepends a reactor to the chain.
func (c *Fake) PrependProxyReactor(resource string, reaction ProxyReactionFunc) {
	c.Lock()
	defer c.Unlock()
	c.ProxyReactionChain = append([]ProxyReactor{&SimpleProxyReactor{resource, reaction}}, c.ProxyReactionChain...)
}

// Record records an action, without calling reactors.
func (c *Fake) Record(action Action) {
	action = action.DeepCopy()
	c.Lock()
	defer c.Unlock()
	c.actions = append(c.actions, action)
}

// Chains returns the current reactors.
func (c *Fake) Chains() ([]Reactor, []WatchReactor, []ProxyReactor) {
	c.RLock()
	defer c.RUnlock()
	return slices.Clone(c.ReactionChain), slices.Clone(c.WatchReactionChain), slices.Clone(c.ProxyReactionChain)
}

// Invokes records an action, and calls the reactors. If none handles it, the result is defaultReturnObj.
func (c *Fake) Invokes(action Action, defaultReturnObj runtime.Object) (runtime.Object, error) {
	c.Record(action)
	chain, _, _ := c.Chains()
	for _, r := range chain {
		if !r.Handles(action) {
			continue
		}
		if handled, obj, err := r.React(action.DeepCopy()); handled {
			return obj, err
		}
	}
	return defaultReturnObj, nil
}

// InvokesWatch records a watch, and calls the reactors. If none handles it, that is an error.
func (c *Fake) InvokesWatch(action Action) (watch.Interface, error) {
	c.Record(action)
	_, chain, _ := c.Chains()
	for _, r := range chain {
		if !r.Handles(action) {
			continue
		}
		if handled, w, err := r.React(action.DeepCopy()); handled {
			return w, err
		}
	}
	return nil, fmt.Errorf("no reactor handles the watch %#v", action)
}

// InvokesProxy records a request to a pod or a service, and calls the reactors. If none handles it without an error,
// the result is nil.
func (c *Fake) InvokesProxy(action Action) rest.ResponseWrapper {
	c.Record(action)
	_, _, chain := c.Chains()
	for _, r := range chain {
		if !r.Handles(action) {
			continue
		}
		if handled, response, err := r.React(action.DeepCopy()); handled && err == nil {
			return response
		}
	}
	return nil
}

// ClearActions clears the record.
func (c *Fake) ClearActions() {
	c.Lock()
	defer c.Unlock()
	c.actions = nil
}

// Actions returns the actions so far, in order.
func (c *Fake) Actions() []Action {
	c.RLock()
	defer c.RUnlock()
	return append([]Action{}, c.actions...)
}
