package metrics

import (
	"errors"
	"fmt"
	"sync"

	"vedette.dev/cache"
	"vedette.dev/internal/informername"
)

// sources are the informers whose states are read by a scrape. Nothing is kept in between, so that series exist for
// exactly as long as their informer is running.
type sources struct {
	mu sync.Mutex
	// Invariant: a name is in groups if and only if something is exported under it.
	groups map[string]*group
}

// group is what is exported under one name: the results of states or, if that is nil, single informers.
type group struct {
	states  func() map[string]cache.State
	singles map[string]single
}

// single is an informer that is exported by itself.
type single struct {
	cache.SharedInformer
	// shards means that each of its shards is exported, too.
	shards bool
}

// shown is what a scrape reads of an informer.
type shown struct {
	state    cache.State
	sharding *sharding // nil if it has no shards
}

func newSources() *sources { return &sources{groups: map[string]*group{}} }

// Factory exports all informers of a factory, including those created later, until remove is called: informers.Factory,
// and those of packages dynamicinformer and metadatainformer. source is a label that distinguishes it from others, such
// as the name of the cluster; it may be empty. It is an error if the source is used already.
func Factory[K comparable](m *Metrics, source string, factory interface{ State() map[K]cache.State }) (remove func(), err error) {
	return m.Informers(source, func() map[string]cache.State {
		named := map[string]cache.State{}
		for key, state := range factory.State() {
			named[informername.Of(key)] = state
		}
		return named
	})
}

// Informers is like [Factory], for other informers: states is called by each scrape, and returns the states of the
// informers, by name. One that has stopped is not exported.
func (m *Metrics) Informers(source string, states func() map[string]cache.State) (remove func(), err error) {
	if states == nil {
		return nil, fmt.Errorf("metrics: states of source %q are nil", source)
	}
	return m.sources.add(source, &group{states: states})
}

// Informer exports one informer, with a name that is unique within the source, until it has stopped or remove is
// called. For an informer of package shard it also exports the number of shards and their balance.
func (m *Metrics) Informer(source, name string, informer cache.SharedInformer) (remove func(), err error) {
	if _, ok := informer.(cache.StateReader); !ok {
		return nil, fmt.Errorf("metrics: informer %q of source %q has type %T without a State method; want an informer of package cache", name, source, informer)
	}
	return m.sources.addSingle(source, name, single{SharedInformer: informer})
}

// AddInformer is Informer for a name that need not be unique: if another informer of the source has it, a number is
// appended, such as in "core/v1.Pod 2". It is what the bridge to client-go uses for Options.Metrics.
func (m *Metrics) AddInformer(source, name string, informer cache.SharedInformer) (remove func(), err error) {
	m.naming.Lock() // so that a name that is free stays free
	defer m.naming.Unlock()
	free := name
	for n := 2; m.sources.has(source, free); n++ {
		free = fmt.Sprintf("%s %d", name, n)
	}
	return m.Informer(source, free, informer)
}

// Shards exports an informer of package shard as Informer does, and each of its shards. These are about 20 series per
// shard: if there is a shard for each of thousands of namespaces, use Informer.
func (m *Metrics) Shards(source, name string, informer Sharded) (remove func(), err error) {
	if informer == nil {
		return nil, fmt.Errorf("metrics: informer %q of source %q is nil", name, source)
	}
	return m.sources.addSingle(source, name, single{informer, true})
}

var errShown = errors.New("is already exported; remove it first, or choose another name")

func (s *sources) add(source string, g *group) (remove func(), err error) {
	source = value(source)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.groups[source] != nil {
		return nil, fmt.Errorf("metrics: source %q %w", source, errShown)
	}
	s.groups[source] = g
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.groups[source] == g {
			delete(s.groups, source)
		}
	}, nil
}

func (s *sources) addSingle(source, name string, informer single) (remove func(), err error) {
	source, name = value(source), value(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.groups[source]
	switch {
	case g == nil:
		g = &group{singles: map[string]single{}}
	case g.states != nil:
		return nil, fmt.Errorf("metrics: source %q %w", source, errShown)
	case g.singles[name].runs():
		return nil, fmt.Errorf("metrics: informer %q of source %q %w", name, source, errShown)
	}
	s.groups[source] = g
	g.singles[name] = informer
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.removeSingle(source, g, name, informer)
	}, nil
}

// has reports whether a source has an informer of a name that has not stopped.
func (s *sources) has(source, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.groups[value(source)]
	return g != nil && g.singles[value(name)].runs()
}

// runs reports whether there is an informer that has not stopped.
func (s single) runs() bool { return s.SharedInformer != nil && !s.IsStopped() }

func (s *sources) removeSingle(source string, g *group, name string, informer single) {
	if g.singles[name] != informer {
		return
	}
	delete(g.singles, name)
	if len(g.singles) == 0 && s.groups[source] == g {
		delete(s.groups, source)
	}
}

// each calls show with every informer that has not stopped. Single ones that have are removed.
func (s *sources) each(show func(source, name string, is *shown)) {
	for source, read := range s.snapshot() {
		for name, is := range read() {
			if is.state.Phase != cache.PhaseStopped {
				show(source, value(name), &is)
			}
		}
	}
}

// snapshot returns the functions to call, so that none is called under the lock.
func (s *sources) snapshot() map[string]func() map[string]shown {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]func() map[string]shown{}
	for source, g := range s.groups {
		if g.states != nil {
			all[source] = g.read
			continue
		}
		running := map[string]single{}
		for name, informer := range g.singles {
			if informer.IsStopped() {
				s.removeSingle(source, g, name, informer)
			} else {
				running[name] = informer
			}
		}
		all[source] = func() map[string]shown {
			states := map[string]shown{}
			for name, informer := range running {
				states[name] = informer.read()
			}
			return states
		}
	}
	return all
}

func (g *group) read() map[string]shown {
	states := map[string]shown{}
	for name, state := range g.states() {
		states[name] = shown{state: state}
	}
	return states
}

func (s single) read() shown {
	is := shown{state: cache.StateOf(s.SharedInformer)}
	if sharded, ok := s.SharedInformer.(Sharded); ok {
		is.sharding = readSharding(sharded, s.shards)
	}
	return is
}
