package ctrl

import (
	"reflect"
	"slices"
	"strings"
	"time"

	clientgocache "k8s.io/client-go/tools/cache"

	"vedette.dev/cache"
)

// feed is an informer that feeds a controller.
type feed struct {
	// informer is its name on the page, kind the kind of its objects: v1.Pod.
	informer, kind string
	engine         cache.SharedIndexInformer
	// same says that the keys of the objects are those of the controller. Otherwise they are mapped, for example to their owners.
	same bool
}

// feedingInformer is an informer that looks at its handlers, to know which controllers it feeds.
type feedingInformer struct {
	clientgocache.SharedIndexInformer
	cache *Cache
	feed  feed
}

// Unwrap is for bridge.Unwrap.
func (i *feedingInformer) Unwrap() clientgocache.SharedIndexInformer { return i.SharedIndexInformer }

func (i *feedingInformer) AddEventHandler(h clientgocache.ResourceEventHandler) (clientgocache.ResourceEventHandlerRegistration, error) {
	i.cache.feeds(i.feed, h)
	return i.SharedIndexInformer.AddEventHandler(h)
}

func (i *feedingInformer) AddEventHandlerWithResyncPeriod(h clientgocache.ResourceEventHandler, period time.Duration) (clientgocache.ResourceEventHandlerRegistration, error) {
	i.cache.feeds(i.feed, h)
	return i.SharedIndexInformer.AddEventHandlerWithResyncPeriod(h, period)
}

func (i *feedingInformer) AddEventHandlerWithOptions(h clientgocache.ResourceEventHandler, o clientgocache.HandlerOptions) (clientgocache.ResourceEventHandlerRegistration, error) {
	i.cache.feeds(i.feed, h)
	return i.SharedIndexInformer.AddEventHandlerWithOptions(h, o)
}

// feeds notes that a handler puts keys into the queue of a controller. The handlers of controller-runtime's sources have that queue in a
// field. All other handlers are ignored.
func (c *Cache) feeds(f feed, handler clientgocache.ResourceEventHandler) {
	v := reflect.Indirect(reflect.ValueOf(handler))
	if v.Kind() != reflect.Struct {
		return
	}
	queue := v.FieldByName("queue")
	if to := v.FieldByName("handler"); to.IsValid() && to.Kind() == reflect.Interface && !to.IsNil() {
		f.same = strings.Contains(to.Elem().Type().String(), "EnqueueRequestForObject")
	}
	// A queue without priorities is wrapped once.
	for range 2 {
		if !queue.IsValid() || queue.Kind() != reflect.Interface || queue.Elem().Kind() != reflect.Pointer {
			return
		}
		if c.feedsQueue(f, queue.Elem().Pointer()) {
			return
		}
		if queue = queue.Elem().Elem(); queue.Kind() == reflect.Struct {
			queue = queue.FieldByName("TypedRateLimitingInterface")
		}
	}
}

// feedsQueue reports whether there is a controller with a queue at an address, and notes what feeds it.
func (c *Cache) feedsQueue(f feed, queue uintptr) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.controllers {
		if one.address() == queue {
			one.feed(f)
			return true
		}
	}
	return false
}

// running returns the feeds whose informers have not stopped.
func running(all []feed) []feed {
	return slices.DeleteFunc(slices.Clone(all), func(f feed) bool { return f.engine.IsStopped() })
}
