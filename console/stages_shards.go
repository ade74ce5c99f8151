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
	// troubles say what is wrong with which shard.
	troubles []string
}

// readShards asks an informer for its shards; nil if it has none.
func readShards(informer cache.StateReader) *shardsReading {
	with, ok := informer.(ShardingInformer)
	if !ok {
		return nil
	}
	states := with.Shards()
	r := &shardsReading{shards: len(states), streams: with.Streams(), imbalance: with.Imbalance()}
	for i := range states {
		if err := shardTrouble(&states[i]); err != nil {
			r.troubles = append(r.troubles, fmt.Sprintf("shard %s: %v", states[i].ID, err))
		}
	}
	return r
}

// tell adds to the picture of an informer what it is made of: its streams where it hears from the server, its shards where it
// keeps the objects. One shard that is not well needs a look, for the others go on; what is wrong with all of them, the stages say.
func (r *shardsReading) tell(l *lane) {
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
			if n := len(r.troubles); n > 0 {
				s.raise(levelSlow, fmt.Sprintf("%d of %s not well; %s", n, plural(r.shards, "shard"), r.troubles[0]))
			}
		}
	}
}
