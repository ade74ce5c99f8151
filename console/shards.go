package console

import "time"

// Sharded is something that is spread over shards. If it has the method ShardMoves() []ShardMove too, its moves are listed.
type Sharded interface {
	// Shards tells what there is now. It is called once a second while somebody looks.
	Shards() []ShardView
}

// ShardView is what the page shows of one shard. What is not known is left zero.
type ShardView struct {
	// ID names the shard. Holder is who has it, such as a replica; empty means this process.
	ID, Holder string
	// Scope is which objects are in it, in words: "namespaces a-f", "hash 0-1/4".
	Scope string
	// Objects and Bytes are what it holds, Weight what the planner says that it costs; zero means Objects.
	Objects int
	Bytes   int64
	Weight  float64
	// EventsPerSecond and Lag are how much it hears and how late.
	EventsPerSecond float64
	Lag             time.Duration
	// State is what it does, in a word: "watching", "draining". Cause is what is wrong with it; nil if nothing is.
	State string
	Cause error
	// Moves is how many times it has changed hands.
	Moves uint64
}

// ShardMove is a shard, or a part of one, that went from one holder to another.
type ShardMove struct {
	At       time.Time
	ID       string
	From, To string
	// Why says what it was for, and Took how long it took; zero while it is under way.
	Why  string
	Took time.Duration
}
