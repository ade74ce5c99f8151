package controller

import (
	"fmt"
	"time"

	"vedette.dev/controller/internal/flight"
)

// The kinds of records: a Reason, a filtered one, or the end of a reconcile.
const (
	filteredBit = 0x40
	outcomeBit  = 0x80
)

func noteOf(o Outcome) uint8 { return outcomeBit | uint8(o) }

// bytesPerKey is the maximum size of the records for each object of the sources.
const bytesPerKey = 64

// minRecords is the minimum size of the records in bytes.
const minRecords = 64 << 10

// budget returns the maximum size of the records in bytes.
func (c *Controller[K]) budget() int {
	objects := 0
	for _, s := range c.config.Sources {
		if o, ok := s.(interface{ objects() int }); ok {
			objects += o.objects()
		}
	}
	return min(max(objects*bytesPerKey, minRecords), c.config.Records)
}

// newTrack returns the track for the records of one goroutine, nil if records are turned off.
func (c *Controller[K]) newTrack() *flight.Track {
	if c.records == nil {
		return nil
	}
	return c.records.Track()
}

// note records an event of a key. A zero time means now.
func (c *Controller[K]) note(to *flight.Track, key K, n flight.Note) {
	if to == nil {
		return
	}
	if n.At.IsZero() {
		n.At = time.Now()
	}
	to.Add(c.hasher.Hash(key), n)
}

func (c *Controller[K]) noteFailure(key K, n flight.Note, err error) {
	if c.records != nil {
		c.records.AddFailure(c.hasher.Hash(key), n, err.Error())
	}
}

// Record is one event in the history of a key.
type Record struct {
	At time.Time `json:"at"`
	// Event describes what happened: the reason of an event, or the outcome of a reconcile.
	Event string `json:"event"`
	// Source is the source of the event, empty for the end of a reconcile.
	Source string `json:"source,omitempty"`
	// Filtered is true if a predicate filtered the event.
	Filtered bool `json:"filtered,omitempty"`
	// Reconciled is true if the record is the end of a reconcile; Took is its duration.
	Reconciled bool          `json:"reconciled,omitempty"`
	Took       time.Duration `json:"took,omitempty"`

	outcome Outcome
}

func (r Record) String() string {
	at := r.At.Format("15:04:05.000")
	switch {
	case r.Reconciled:
		return fmt.Sprintf("%s reconciled in %v: %s", at, r.Took, r.Event)
	case r.Filtered:
		return fmt.Sprintf("%s %s (%s), filtered by a predicate", at, r.Event, r.Source)
	default:
		return fmt.Sprintf("%s %s (%s)", at, r.Event, r.Source)
	}
}

// history returns the records of a key, oldest first.
func (c *Controller[K]) history(key K) []Record {
	if c.records == nil {
		return nil
	}
	var history []Record
	for _, n := range c.records.Notes(c.hasher.Hash(key)) {
		history = append(history, c.record(n))
	}
	return history
}

func (c *Controller[K]) record(n flight.Note) Record {
	r := Record{At: n.At, Took: n.Took}
	if n.Event&outcomeBit != 0 {
		r.outcome = Outcome(n.Event &^ outcomeBit)
		r.Reconciled, r.Event = true, r.outcome.String()
		return r
	}
	r.Filtered = n.Event&filteredBit != 0
	r.Event = Reason(n.Event &^ filteredBit).String()
	r.Source = "Controller.Add"
	if int(n.From) < len(c.config.Sources) {
		r.Source = c.config.Sources[n.From].String()
	}
	return r
}
