package cache

import "time"

// HandlerState tells how far a handler is.
type HandlerState struct {
	// Number says which handler of the informer it is: the first that was added is 1. It stays when others are removed.
	Number int
	// Handler is the Go type of the handler, or what its method HandlerName() string returns, if it has one.
	Handler string
	// Synced tells whether the handler has heard of everything that was there when it was added.
	Synced bool
	// Waiting is how many notifications wait for the handler, and Oldest since when the first of them does. Zero if none.
	Waiting int
	Oldest  time.Time
	// Merging tells that the handler is so far behind that what waits is kept by key, and Merged how many notifications were
	// merged with another of the same key.
	Merging bool
	Merged  uint64
	// Handled is how many calls have returned, Busy since when the present one runs. Zero if none does.
	Handled uint64
	Busy    time.Time
	// Panics is how many calls ended in a panic, and LastPanic tells of the last.
	Panics    uint64
	LastPanic string
}
