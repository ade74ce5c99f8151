//go:build !vedette_noconsole

package console

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// shardsData is the data of the shards view.
type shardsData struct {
	Sets []shardSet `json:"sets"`
	Now  time.Time  `json:"now"`
}

// shardSet is one Sharded with its shards.
type shardSet struct {
	Name    string        `json:"name"`
	Holders []shardHolder `json:"holders"`
	// Balance is the weight of the heaviest holder divided by the mean; 1 is even.
	Balance float64     `json:"balance"`
	Level   level       `json:"level"`
	Shards  int         `json:"shards"`
	Objects int         `json:"objects"`
	Moves   []ShardMove `json:"moves,omitempty"`
	// Streams is the number of list and watch streams, Changes the number of changes of the shards. Both are zero if
	// unknown.
	Streams int    `json:"streams,omitempty"`
	Changes uint64 `json:"changes,omitempty"`
}

// shardHolder is a holder of shards.
type shardHolder struct {
	Name    string      `json:"name"`
	Shards  []shardPart `json:"shards"`
	Objects int         `json:"objects"`
	Bytes   int64       `json:"bytes"`
	Events  float64     `json:"eventsPerSecond"`
	Weight  float64     `json:"weight"`
	// Width is the weight relative to the heaviest, in percent.
	Width float64 `json:"-"`
	Level level   `json:"level"`
}

// shardPart is a shard and its position on the map.
type shardPart struct {
	ShardView `json:"shard"`
	Level     level   `json:"level"`
	Why       string  `json:"why,omitempty"`
	X         float64 `json:"-"` // percent of the width of the map
	Width     float64 `json:"-"`
}

// unbalanced is the balance from which on a warning is shown.
const unbalanced = 2

func (p *Page) shardsView(query) (any, error) {
	d := &shardsData{Now: time.Now()}
	for _, name := range slices.Sorted(maps.Keys(p.config.Shards)) {
		source := p.config.Shards[name]
		set := newShardSet(name, source.Shards())
		if with, ok := source.(interface{ ShardMoves() []ShardMove }); ok {
			set.Moves = with.ShardMoves()
			slices.SortFunc(set.Moves, func(a, b ShardMove) int { return b.At.Compare(a.At) })
			set.Moves = first(set.Moves, maxRows)
		}
		if with, ok := source.(*sharding); ok {
			set.know(with)
		}
		d.Sets = append(d.Sets, set)
	}
	return d, nil
}

// know copies the totals of a sharding informer. If there is only one holder, the balance is that of the shards.
func (s *shardSet) know(informer *sharding) {
	s.Streams, s.Changes = informer.Streams(), informer.Changes()
	if len(s.Holders) == 1 {
		s.Balance = informer.Imbalance()
		s.judge()
	}
}

func newShardSet(name string, shards []ShardView) shardSet {
	set := shardSet{Name: name, Shards: len(shards), Level: levelOK}
	holders := map[string]*shardHolder{}
	for _, s := range shards {
		if s.Weight == 0 {
			s.Weight = float64(s.Objects)
		}
		who := cmp.Or(s.Holder, "this process")
		h := holders[who]
		if h == nil {
			h = &shardHolder{Name: who, Level: levelOK}
			holders[who] = h
		}
		part := shardPart{ShardView: s, Level: levelOK}
		if s.Cause != nil {
			part.Level, part.Why = levelFailing, s.Cause.Error()
		}
		h.Shards = append(h.Shards, part)
		h.Objects, h.Bytes, h.Events, h.Weight = h.Objects+s.Objects, h.Bytes+s.Bytes, h.Events+s.EventsPerSecond, h.Weight+s.Weight
		h.Level, set.Level = max(h.Level, part.Level), max(set.Level, part.Level)
		set.Objects += s.Objects
	}
	for _, who := range slices.Sorted(maps.Keys(holders)) {
		set.Holders = append(set.Holders, *holders[who])
	}
	set.place()
	return set
}

func (s *shardSet) judge() {
	if s.Balance > unbalanced {
		s.Level = max(s.Level, levelSlow)
	}
}

// place lays out the map: a row for each holder, as wide as its weight, with a field for each shard.
func (s *shardSet) place() {
	heaviest, total := 0.0, 0.0
	for _, h := range s.Holders {
		heaviest, total = max(heaviest, h.Weight), total+h.Weight
	}
	if total > 0 {
		s.Balance = heaviest / (total / float64(len(s.Holders)))
	}
	s.judge()
	for i := range s.Holders {
		h := &s.Holders[i]
		slices.SortFunc(h.Shards, func(a, b shardPart) int { return cmp.Compare(a.ID, b.ID) })
		x := 0.0
		for j := range h.Shards {
			part := &h.Shards[j]
			part.X = x
			if heaviest > 0 {
				part.Width = 100 * part.Weight / heaviest
			} else {
				part.Width = 100 / float64(len(h.Shards))
			}
			x += part.Width
		}
		h.Width = x
	}
}

// MarshalJSON encodes the cause as a string: errors have no JSON encoding.
func (p shardPart) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{
		"id": p.ID, "scope": p.Scope, "objects": p.Objects, "bytes": p.Bytes, "weight": p.Weight, "eventsPerSecond": p.EventsPerSecond,
		"lagSeconds": p.Lag.Seconds(), "state": p.State, "cause": p.Why, "moves": p.Moves, "level": p.Level,
	})
}
