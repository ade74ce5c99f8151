//go:build !vedette_noconsole

package console

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"vedette.dev/cache"
)

// changeCounters count how often objects change, by comparing the versions in the store at intervals while the page has
// a viewer. No handler is added: without viewers nothing is done, and informers do not depend on the console.
type changeCounters struct {
	mu  sync.Mutex
	all map[string]*changeCounter // by the name of the informer
}

// changeCounter counts the changes in one store.
type changeCounter struct {
	began, last, next time.Time
	looks, tooMany    int
	objects           map[string]*changed // by key
	// found is the result of the last scan: the objects that have changed most.
	found []changed
}

// changed is an object and the number of scans that found it changed.
type changed struct {
	key, version string
	times        int
	at           time.Time
	look         int
}

func newChangeCounters() *changeCounters {
	return &changeCounters{all: map[string]*changeCounter{}}
}

// clear drops all counts, when there is no viewer left.
func (c *changeCounters) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.all)
}

// changesResult is the result of a scan.
type changesResult struct {
	Began time.Time
	Looks int
	Top   []changed
	// TooMany is the number of objects in the store, if it is too large to be scanned.
	TooMany int
}

// maxScan is the largest number of objects of a store that are scanned.
const maxScan = 500_000

// look counts what has changed since the last scan, unless that was so recent that another one would cost too much, and
// returns the objects that have changed most.
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
			if c.looks > 1 { // created since the last scan
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

// top returns the objects that changed most, the most recently changed first among equals.
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
