//go:build !vedette_noconsole

package console

import (
	"fmt"

	"vedette.dev/cache"
)

// shardsReading is what the pipeline shows of the shards of an informer.
type shardsReading struct {
	shards, streams int
	imbalance       float64
	// problems are the errors of the shards.
	problems []string
}

// readShards returns the state of the shards of an informer, nil if it has none.
func readShards(informer cache.StateReader) *shardsReading {
	with, ok := informer.(ShardingInformer)
	if !ok {
		return nil
	}
	states := with.Shards()
	r := &shardsReading{shards: len(states), streams: with.Streams(), imbalance: with.Imbalance()}
	for i := range states {
		if err := shardError(&states[i]); err != nil {
			r.problems = append(r.problems, fmt.Sprintf("shard %s: %v", states[i].ID, err))
		}
	}
	return r
}

// addTo adds streams and shards to the lane of an informer. A failing shard is a warning, because the others go on;
// errors of all shards are shown by the stages.
func (r *shardsReading) addTo(l *lane) {
	if r == nil {
		return
	}
	for i := range l.Stages {
		switch s := &l.Stages[i]; s.ID {
		case "server":
			s.fact("streams", count(r.streams))
		case "store":
			s.fact("shards", count(r.shards))
			if r.imbalance > 0 {
				s.fact("largest ÷ mean", fmt.Sprintf("%.2f", r.imbalance))
			}
			if n := len(r.problems); n > 0 {
				s.raise(levelSlow, fmt.Sprintf("%d of %s failing; %s", n, plural(r.shards, "shard"), r.problems[0]))
			}
		}
	}
}
