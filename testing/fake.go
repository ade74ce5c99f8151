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

// Fake is what fake clients have in common. Its zero value records actions and has no reactors. The lock is for the chains
// and Resources, where they are not changed by methods.
type Fake struct {
	sync.RWMutex
	actions []Action

	// ReactionChain is who answers actions other than watches.
	ReactionChain []Reactor
	// WatchReactionChain is who answers watches.
	WatchReactionChain []WatchReactor
	// ProxyReactionChain is who answers what is read from pods and services.
	ProxyReactionChain []ProxyReactor

	// Resources, if set, is what discovery says that the server has.
	Resources []*metav1.APIResourceList
}

// FakeClient is what fake clients can do beyond the clients that they stand in for.
type FakeClient interface {
	// Tracker is the way to the objects that goes past the reactors.
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

// AddReactor adds a reactor to the end of the chain. For "*", all verbs or all resources count.
func (c *Fake) AddReactor(verb, resource string, reaction ReactionFunc) {
	c.Lock()
	defer c.Unlock()
	c.ReactionChain = append(slices.Clip(c.ReactionChain), &SimpleReactor{verb, resource, reaction})
}

// PrependReactor adds a reactor to the beginning of the chain. For "*", all verbs or all resources count.
func (c *Fake) PrependReactor(verb, resource string, reaction ReactionFunc) {
	c.Lock()
	defer c.Unlock()
	c.ReactionChain = append([]Reactor{&SimpleReactor{verb, resource, reaction}}, c.ReactionChain...)
}

// AddWatchReactor adds a reactor to the end of the chain.
func (c *Fake) AddWatchReactor(resource string, reaction WatchReactionFunc) {
	c.Lock()
	defer c.Unlock()
	c.WatchReactionChain = append(slices.Clip(c.WatchReactionChain), &SimpleWatchReactor{resource, reaction})
}

// PrependWatchReactor adds a reactor to the beginning of the chain.
func (c *Fake) PrependWatchReactor(resource string, reaction WatchReactionFunc) {
	c.Lock()
	defer c.Unlock()
	c.WatchReactionChain = append([]WatchReactor{&SimpleWatchReactor{resource, reaction}}, c.WatchReactionChain...)
}

// AddProxyReactor adds a reactor to the end of the chain.
func (c *Fake) AddProxyReactor(resource string, reaction ProxyReactionFunc) {
	c.Lock()
	defer c.Unlock()
	c.ProxyReactionChain = append(slices.Clip(c.ProxyReactionChain), &SimpleProxyReactor{resource, reaction})
}

// PrependProxyReactor adds a reactor to the beginning of the chain.
func (c *Fake) PrependProxyReactor(resource string, reaction ProxyReactionFunc) {
	c.Lock()
	defer c.Unlock()
	c.ProxyReactionChain = append([]ProxyReactor{&SimpleProxyReactor{resource, reaction}}, c.ProxyReactionChain...)
}

// Record notes an action, without asking anyone.
func (c *Fake) Record(action Action) {
	action = action.DeepCopy()
	c.Lock()
	defer c.Unlock()
	c.actions = append(c.actions, action)
}

// Chains returns the reactors as they are now.
func (c *Fake) Chains() ([]Reactor, []WatchReactor, []ProxyReactor) {
	c.RLock()
	defer c.RUnlock()
	return slices.Clone(c.ReactionChain), slices.Clone(c.WatchReactionChain), slices.Clone(c.ProxyReactionChain)
}

// Invokes records an action, and asks the reactors. If none handles it, the answer is defaultReturnObj.
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

// InvokesWatch records a watch, and asks the reactors. If none handles it, that is an error.
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

// InvokesProxy records a read from a pod or a service, and asks the reactors. If none handles it without an error, the answer
// is nil.
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

// ClearActions forgets the actions so far.
func (c *Fake) ClearActions() {
	c.Lock()
	defer c.Unlock()
	c.actions = nil
}

// Actions returns the actions so far, in their order.
func (c *Fake) Actions() []Action {
	c.RLock()
	defer c.RUnlock()
	return append([]Action{}, c.actions...)
}
