//go:build !vedette_noconsole

package console

import (
	"cmp"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"time"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/workqueue"
)

// reading is the state of everything at one moment.
type reading struct {
	at        time.Time
	informers []informerReading
	works     []workReading
	memory    memoryReading
}

type informerReading struct {
	name  string
	state cache.State
	// shards is the state of the shards, nil if it is not a sharding informer.
	shards *shardsReading
}

// workReading is a controller with its queue, or a queue alone.
type workReading struct {
	name string
	// controller is true if there is one; state is its state.
	controller bool
	state      controller.State
	// known is true if there is a snapshot of the queue; depth is known in any case.
	known                      bool
	depth, processing, delayed int
	oldest                     time.Time // since when the oldest key is queued, zero if none is
	// took are the durations of reconciles, if they are measured.
	measured bool
	took     histogram
	// feeds are the names of the informers that feed it, as far as known.
	feeds []string
}

type memoryReading struct {
	heap, total int64
	goroutines  int
}

func (r *reading) informer(name string) *informerReading {
	for i := range r.informers {
		if r.informers[i].name == name {
			return &r.informers[i]
		}
	}
	return nil
}

func (r *reading) work(name string) *workReading {
	for i := range r.works {
		if r.works[i].name == name {
			return &r.works[i]
		}
	}
	return nil
}

// reader takes readings.
type reader struct {
	config *Config
	// mu guards the fields below.
	mu sync.Mutex
	// sources are the sources of each controller, which do not change; nil before they are known.
	sources map[string][]string
	// queues has the last snapshot of each queue and its cost.
	queues map[string]*lookedInto
}

func newReader(config *Config) *reader {
	return &reader{config: config, sources: map[string][]string{}, queues: map[string]*lookedInto{}}
}

// informers returns all informers by name. If two have the same name, one is shown.
func (r *reader) informers() map[string]cache.StateReader {
	all := map[string]cache.StateReader{}
	for _, source := range r.config.Informers {
		for name, informer := range source.Informers() {
			all[name] = informer
		}
	}
	return all
}

func (r *reader) read(now time.Time) *reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := &reading{at: now, memory: readMemory()}
	queues := r.config.Queues
	for name, informer := range r.informers() {
		found.informers = append(found.informers, informerReading{name, informer.State(), readShards(informer)})
	}
	slices.SortFunc(found.informers, func(a, b informerReading) int { return cmp.Compare(a.name, b.name) })
	taken := map[string]bool{}
	for _, c := range r.config.controllers() {
		w := workReading{name: c.Name(), controller: true, state: c.State()}
		w.depth = w.state.Queued
		w.processing = len(w.state.Busy)
		w.measured = r.config.Reconciles.read(w.name, &w.took)
		if look := snapshotOf(queues, w.name, c); look != nil {
			r.lookInto(&w, look, now)
			taken[w.name] = true
		}
		w.feeds = r.feeds(w.name, c, found.informers)
		found.works = append(found.works, w)
	}
	for _, q := range queues {
		if taken[q.Name] {
			continue
		}
		taken[q.Name] = true
		w := workReading{name: q.Name, feeds: r.config.Feeds[q.Name]}
		r.lookInto(&w, q.Snapshot, now)
		found.works = append(found.works, w)
	}
	slices.SortStableFunc(found.works, func(a, b workReading) int { return cmp.Compare(a.name, b.name) })
	return found
}

// snapshotOf returns the function that takes a snapshot of a controller's queue, nil if there is none.
func snapshotOf(queues []Queue, name string, c Controller) func(limit int) workqueue.Snapshot[string] {
	for _, q := range queues {
		if q.Name == name {
			return q.Snapshot
		}
	}
	if s, ok := c.(interface {
		QueueSnapshot(limit int) workqueue.Snapshot[string]
	}); ok {
		return s.QueueSnapshot
	}
	return nil
}

// lookedInto is the last snapshot of a queue.
type lookedInto struct {
	snapshot workqueue.Snapshot[string]
	next     time.Time
}

// sparing is the pause between two snapshots as a multiple of the duration of one: a very long queue costs at most one
// part in so many of a core.
const sparing = 200

func (r *reader) lookInto(w *workReading, look func(int) workqueue.Snapshot[string], now time.Time) {
	last := r.queues[w.name]
	if last == nil {
		last = &lookedInto{}
		r.queues[w.name] = last
	}
	if !now.Before(last.next) {
		began := time.Now()
		last.snapshot = look(moreKeys)
		last.next = now.Add(sparing * time.Since(began))
	}
	s := &last.snapshot
	w.known = true
	w.delayed = s.WaitingCount
	if !w.controller { // a controller has reported it already
		w.depth, w.processing = s.QueuedCount, s.ProcessingCount
	}
	if len(s.Queued) > 0 && w.depth > 0 {
		w.oldest = s.Queued[0].QueuedSince
	}
}

// contents returns the last snapshot of a queue.
func (r *reader) contents(name string) workqueue.Snapshot[string] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := r.queues[name]; last != nil {
		return last.snapshot
	}
	return workqueue.Snapshot[string]{}
}

// feeds returns the informers that feed a controller. Its sources name the type of their objects: if exactly one
// informer has objects of that type, it is the one. A controller that knows is asked.
func (r *reader) feeds(name string, c Controller, informers []informerReading) []string {
	if told, ok := r.config.Feeds[name]; ok {
		return told
	}
	if known, ok := c.(interface{ Feeds() []string }); ok {
		return known.Feeds()
	}
	sources := r.sources[name]
	if sources == nil {
		// Any key will do: only the names of the sources are used.
		if e, err := c.ExplainString("default/name"); err == nil {
			sources = []string{}
			for _, s := range e.Sources {
				sources = append(sources, s.Source[strings.LastIndexByte(s.Source, ' ')+1:])
			}
			r.sources[name] = sources
		}
	}
	var found []string
	for _, source := range sources {
		of := -1
		for i := range informers {
			// Informers of custom resources describe their objects by resource; the name that a factory gives has the
			// type.
			if strings.TrimPrefix(informers[i].state.Type, "*") == source || strings.HasSuffix(informers[i].name, "/"+source) {
				if of >= 0 {
					of = -1
					break
				}
				of = i
			}
		}
		if of >= 0 && !slices.Contains(found, informers[of].name) {
			found = append(found, informers[of].name)
		}
	}
	return found
}

func readMemory() memoryReading {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}, {Name: "/sched/goroutines:goroutines"},
	}
	metrics.Read(samples)
	var values [4]int64
	for i, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			values[i] = int64(s.Value.Uint64())
		}
	}
	return memoryReading{heap: values[0], total: values[1] - values[2], goroutines: int(values[3])}
}
