package metrics

import (
	"errors"
	"fmt"
	"sync"

	"vedette.dev/cache"
	"vedette.dev/internal/informername"
)

// sources is where the states of informers are read from when somebody looks. Nothing is kept in between, so that series
// exist for exactly as long as their informer runs.
type sources struct {
	mu sync.Mutex
	// Invariant: a name is in groups if and only if something is shown under it.
	groups map[string]*group
}

// group is what is shown under one name: all that states tells of or, where that is nil, single informers.
type group struct {
	states  func() map[string]cache.State
	singles map[string]single
}

// single is an informer that is shown by itself.
type single struct {
	cache.SharedInformer
	// shards says that each of its shards is shown, too.
	shards bool
}

// shown is what is read of an informer when somebody looks.
type shown struct {
	state    cache.State
	sharding *sharding // nil if it has no shards
}

func newSources() *sources { return &sources{groups: map[string]*group{}} }

// Factory shows all informers of a factory, those that it makes later too, until remove is called: informers.Factory,
// and those of packages dynamicinformer and metadatainformer. Source is the label that tells it from others, such as the
// name of the cluster; it may be empty. It is an error if something is shown under it already.
func Factory[K comparable](m *Metrics, source string, factory interface{ State() map[K]cache.State }) (remove func(), err error) {
	return m.Informers(source, func() map[string]cache.State {
		named := map[string]cache.State{}
		for key, state := range factory.State() {
			named[informername.Of(key)] = state
		}
		return named
	})
}

// Informers is Factory for informers from elsewhere: states is called whenever somebody looks at the metrics, and returns
// the informers that there are, by name. One that has stopped is not shown.
func (m *Metrics) Informers(source string, states func() map[string]cache.State) (remove func(), err error) {
	if states == nil {
		return nil, fmt.Errorf("metrics: the states of source %q are nil", source)
	}
	return m.sources.add(source, &group{states: states})
}

// Informer shows one informer, by a name of its own within the source, until it has stopped or remove is called. Of one of
// package shard it also shows how many shards there are, and how balanced they are.
func (m *Metrics) Informer(source, name string, informer cache.SharedInformer) (remove func(), err error) {
	if _, ok := informer.(cache.StateReader); !ok {
		return nil, fmt.Errorf("metrics: informer %q of source %q is a %T, which has no State; it must be of package cache", name, source, informer)
	}
	return m.sources.addSingle(source, name, single{SharedInformer: informer})
}

// Shards shows an informer of package shard as Informer does, and each of its shards. Those are some 20 series a shard: where
// there is a shard for each of thousands of namespaces, Informer is the better choice.
func (m *Metrics) Shards(source, name string, informer Sharded) (remove func(), err error) {
	if informer == nil {
		return nil, fmt.Errorf("metrics: informer %q of source %q is nil", name, source)
	}
	return m.sources.addSingle(source, name, single{informer, true})
}

var errShown = errors.New("is shown already; remove it first, or choose another")

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

// runs tells whether there is an informer, and that it has not stopped.
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

// each calls show with every informer that has not stopped. Single ones that have are let go of.
func (s *sources) each(show func(source, name string, is *shown)) {
	for source, read := range s.snapshot() {
		for name, is := range read() {
			if is.state.Phase != cache.PhaseStopped {
				show(source, value(name), &is)
			}
		}
	}
}

// snapshot returns what to ask, so that nobody is asked under the lock.
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
