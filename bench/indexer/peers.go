package indexer

import (
	"fmt"

	"vedette.dev/bench/harness"
)

// store is what the drivers need of an indexer.
type store interface {
	Add(obj any) error
	Update(obj any) error
	GetByKey(key string) (item any, exists bool, err error)
	List() []any
	ByIndex(indexName, indexedValue string) ([]any, error)
	ListIndexFuncValues(indexName string) []string
}

// peers build an empty store with the three indexes.
var peers = map[string]func() store{
	harness.ClientGo: newClientGo,
	harness.Vedette:  newVedette,
}

func newStore(side string) (store, error) {
	build := peers[side]
	if build == nil {
		return nil, fmt.Errorf("side %q has no indexer", side)
	}
	return build(), nil
}

// filled is a store with the first state of all objects.
func filled(side string, o *objects) (store, error) {
	s, err := newStore(side)
	if err != nil {
		return nil, err
	}
	for _, obj := range o.states[0] {
		if err := s.Add(obj); err != nil {
			return nil, err
		}
	}
	return s, nil
}
