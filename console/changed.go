//go:build !vedette_noconsole

package console

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"vedette.dev/cache"
)

// changeCounters count how often objects change, by looking at the versions in the store again and again while somebody looks at
// the result. There is no handler: what nobody looks at costs nothing, and an informer is not told of its viewers.
type changeCounters struct {
	mu  sync.Mutex
	all map[string]*changeCounter // by the name of the informer
}

// changeCounter counts the changes in one store.
type changeCounter struct {
	began, last, next time.Time
	looks, tooMany    int
	objects           map[string]*changed // by key
	// found is what the last look found: the objects that have changed most.
	found []changed
}

// changed is an object, and how many times it was found changed.
type changed struct {
	key, version string
	times        int
	at           time.Time
	look         int
}

func newChangeCounters() *changeCounters {
	return &changeCounters{all: map[string]*changeCounter{}}
}

// clear forgets everything, when nobody looks any more.
func (c *changeCounters) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.all)
}

// changesResult is what a counter has found.
type changesResult struct {
	Began time.Time
	Looks int
	Top   []changed
	// TooMany is how many objects there are, if that is more than are looked at.
	TooMany int
}

// maxScan is how many objects of a store are looked at to find some of them.
const maxScan = 500_000

// look counts what has changed since the last look, unless that was so short a time ago that it would cost too much, and returns
// the objects that have changed most.
func (c *changeCounters) look(name string, store cache.Store, limit int) changesResult {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	counter := c.all[name]
	if counter == nil || now.Sub(counter.last) > time.Minute {
		counter = &changeCounter{began: now, objects: map[string]*changed{}}
		c.all[name] = counter
	}
	if !now.Before(counter.next) {
		counter.tooMany = counter.count(store, now)
		counter.found = counter.top(limit)
		counter.next = now.Add(max(tick*9/10, sparing*time.Since(now)))
	}
	counter.last = now
	return changesResult{Began: counter.began, Looks: counter.looks, Top: counter.found, TooMany: counter.tooMany}
}

func (c *changeCounter) count(store cache.Store, now time.Time) (tooMany int) {
	all := store.List()
	if len(all) > maxScan {
		return len(all)
	}
	c.looks++
	for _, obj := range all {
		meta := metaOf(obj)
		if meta == nil {
			continue
		}
		key := keyOf(meta.GetNamespace(), meta.GetName())
		one := c.objects[key]
		if one == nil {
			one = &changed{key: key, version: meta.GetResourceVersion()}
			if c.looks > 1 { // it was created since
				one.times, one.at = 1, now
			}
			c.objects[key] = one
		}
		if version := meta.GetResourceVersion(); version != one.version {
			one.version, one.at = version, now
			one.times++
		}
		one.look = c.looks
	}
	for key, one := range c.objects {
		if one.look != c.looks {
			delete(c.objects, key)
		}
	}
	return 0
}

// top are those that changed most, the latest first among equals.
func (c *changeCounter) top(limit int) []changed {
	var found []changed
	for _, one := range c.objects {
		if one.times > 0 {
			found = append(found, *one)
		}
	}
	slices.SortFunc(found, func(a, b changed) int {
		return cmp.Or(cmp.Compare(b.times, a.times), b.at.Compare(a.at), cmp.Compare(a.key, b.key))
	})
	return found[:min(limit, len(found))]
}

func keyOf(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
