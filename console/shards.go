package console

import "time"

// Sharded is something spread over shards. If it also has the method ShardMoves() []ShardMove, its moves are listed.
type Sharded interface {
	// Shards returns the current shards. It is called once a second while there are viewers.
	Shards() []ShardView
}

// ShardView is what the page shows of one shard. Unknown values are left zero.
type ShardView struct {
	// ID is the name of the shard. Holder is the replica that has it; empty means this process.
	ID, Holder string
	// Scope describes which objects are in it: "namespaces a-f", "hash 0-1/4".
	Scope string
	// Objects and Bytes are its size, Weight its cost according to the planner; zero means Objects.
	Objects int
	Bytes   int64
	Weight  float64
	// EventsPerSecond is the rate of its events, Lag their delay.
	EventsPerSecond float64
	Lag             time.Duration
	// State is what it does, in a word: "watching", "draining". Cause is its error, or nil.
	State string
	Cause error
	// Moves is the number of times its holder has changed.
	Moves uint64
}

// ShardMove is a move of a shard, or of a part of one, from one holder to another.
type ShardMove struct {
	At       time.Time
	ID       string
	From, To string
	// Why is the reason for the move, Took its duration; zero while it is in progress.
	Why  string
	Took time.Duration
}
