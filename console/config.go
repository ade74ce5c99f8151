package console

import (
	"fmt"
	"strings"

	"vedette.dev/controller"
)

// Config says what the page shows, and to whom. The zero value works: a page that has only the process to tell of, and says how
// to add more.
type Config struct {
	// Title is what the page is called, such as the name of the program. Empty means "Vedette".
	Title string

	// Informers are shown with their stages, and their objects can be looked at: see Factory and Informer. Those that a factory
	// makes later are shown, too.
	Informers []Informers
	// Controllers are shown with their queues and workers, and asked for explanations.
	Controllers []Controller
	// Queues are work queues: see Queue. One that has the name of a controller is that controller's.
	Queues []Queue
	// MoreQueues returns queues that come and go. It is called at each reading, and may be nil.
	MoreQueues func() []Queue
	// Shards are shown as maps, by name: see the function Shards for sharding informers.
	Shards map[string]Sharded
	// Feeds says which informers (the names on the page) feed a controller or queue (the key), where the page does not find
	// out by itself. It does for the sources For, Owns and Watches of package controller.
	Feeds map[string][]string
	// Reconciles knows how long reconciles take, if it is the Metrics of the controllers too. Nil means that it is not shown.
	Reconciles *Reconciles

	// Token is what a viewer has to present, as "Authorization: Bearer ..." or once as "?token=...". Empty means that viewers
	// need none, and must be on this machine: a request from another address than 127.0.0.1 or ::1, for a host name that is not
	// this machine's own, or with a header of a proxy, is refused.
	Token string
	// Redact may take more out of an object than the page does by itself, before anything of it is shown. It is given a copy. With
	// it, a search by labels looks at 10,000 objects at most, and objects cannot be found by indexes other than that of the namespaces.
	Redact func(object map[string]any)
}

// Controller is a *controller.Controller.
//
// If it has the method QueueSnapshot(limit int) workqueue.Snapshot[string] too, as that one has, the keys in its queue are shown.
type Controller interface {
	Name() string
	State() controller.State
	ExplainString(key string) (controller.Explanation, error)
}

// minToken is how long a token must be, so that nobody guesses it.
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
			return fmt.Errorf("console: Config.Controllers has two of the name %q; it must have one", one.Name())
		}
		names[one.Name()] = true
	}
	queues := map[string]bool{}
	for i, one := range c.Queues {
		if one.Snapshot == nil {
			return fmt.Errorf("console: Config.Queues[%d].Snapshot is nil; use QueueOf", i)
		}
		if queues[one.Name] {
			return fmt.Errorf("console: Config.Queues has two of the name %q; it must have one", one.Name)
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
			return fmt.Errorf("console: Config.Feeds[%q] is for no controller or queue; it must be the name of one", name)
		}
	}
	if c.Token != "" && (len(c.Token) < minToken || strings.TrimSpace(c.Token) != c.Token) {
		return fmt.Errorf("console: Config.Token has %d characters; it must have %d or more, and no space around them", len(c.Token), minToken)
	}
	return nil
}
