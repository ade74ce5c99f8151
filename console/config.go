package console

import (
	"fmt"
	"slices"
	"strings"

	"vedette.dev/controller"
)

// Config configures the page. The zero value works: the page then shows the process only, and how to add more.
type Config struct {
	// Title is the title of the page, such as the name of the program. Empty means "Vedette".
	Title string

	// Informers are shown with their stages, and their objects can be viewed: see Factory and Informer. Informers that
	// a factory creates later are shown, too.
	Informers []Informers
	// Controllers are shown with their queues and workers, and used for explanations.
	Controllers []Controller
	// MoreControllers returns controllers that are created at run time. It is called for each reading, and may be nil. One
	// with the name of another is not shown.
	MoreControllers func() []Controller
	// Queues are work queues: see Queue. A queue with the name of a controller is shown as the queue of that
	// controller.
	Queues []Queue
	// Shards are shown as maps, by name: see Shards for sharding informers.
	Shards map[string]Sharded
	// Feeds maps the name of a controller or queue to the names of the informers that feed it, where the page cannot
	// find out by itself. It can for the sources For, Owns and Watches of package controller.
	Feeds map[string][]string
	// Reconciles measures reconcile durations, if it is also the Metrics of the controllers. Nil means that they are
	// not shown.
	Reconciles *Reconciles

	// Token is the token that a viewer has to present, as "Authorization: Bearer ..." or once as "?token=...". If
	// empty, no token is needed and only local requests are allowed: a request from an address other than 127.0.0.1 or
	// ::1, for a host name that is not of this machine, or with a header of a proxy, is rejected.
	Token string
	// Redact may remove more from an object than the page does by itself, before any of it is shown. It is given a
	// copy. If it is set, a search by labels looks at 10,000 objects at most, and objects cannot be found by indexes
	// other than the one of namespaces.
	Redact func(object map[string]any)
}

// Controller is implemented by *controller.Controller.
//
// If it also has the method QueueSnapshot(limit int) workqueue.Snapshot[string], as that has, the keys in its queue are
// shown. If it has the method Feeds() []string, that returns the names of the informers that feed it.
type Controller interface {
	Name() string
	State() controller.State
	ExplainString(key string) (controller.Explanation, error)
}

// hasControllers reports whether there are controllers, or may be some later.
func (c *Config) hasControllers() bool { return len(c.Controllers) > 0 || c.MoreControllers != nil }

// controllers returns the controllers that there are now. Their names are unique.
func (c *Config) controllers() []Controller {
	if c.MoreControllers == nil {
		return c.Controllers
	}
	all := slices.Clone(c.Controllers)
	for _, one := range c.MoreControllers() {
		if !slices.ContainsFunc(all, func(other Controller) bool { return other.Name() == one.Name() }) {
			all = append(all, one)
		}
	}
	return all
}

// minToken is the minimum length of a token, so that it cannot be guessed.
const minToken = 8

func (c *Config) validate() error {
	for i, one := range c.Informers {
		if one == nil {
			return fmt.Errorf("console: Config.Informers[%d] is nil; use Factory or Informer", i)
		}
		if wrong, ok := one.(badInformers); ok {
			return fmt.Errorf("console: Config.Informers[%d] %s", i, string(wrong))
		}
	}
	names := map[string]bool{}
	for i, one := range c.Controllers {
		if one == nil {
			return fmt.Errorf("console: Config.Controllers[%d] is nil", i)
		}
		if names[one.Name()] {
			return fmt.Errorf("console: Config.Controllers has two entries with the name %q", one.Name())
		}
		names[one.Name()] = true
	}
	queues := map[string]bool{}
	for i, one := range c.Queues {
		if one.Snapshot == nil {
			return fmt.Errorf("console: Config.Queues[%d].Snapshot is nil; use QueueOf", i)
		}
		if queues[one.Name] {
			return fmt.Errorf("console: Config.Queues has two entries with the name %q", one.Name)
		}
		queues[one.Name] = true
	}
	for name, one := range c.Shards {
		if one == nil {
			return fmt.Errorf("console: Config.Shards[%q] is nil", name)
		}
	}
	for name := range c.Feeds {
		if !names[name] && !queues[name] {
			return fmt.Errorf("console: Config.Feeds[%q] is not the name of a controller or queue", name)
		}
	}
	if c.Token != "" && (len(c.Token) < minToken || strings.TrimSpace(c.Token) != c.Token) {
		return fmt.Errorf("console: Config.Token has %d characters; it must have at least %d, without surrounding space", len(c.Token), minToken)
	}
	return nil
}
