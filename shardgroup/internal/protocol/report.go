package protocol

import (
	"encoding/json"
	"fmt"
	"math"
)

// State is the state of a member.
type State string

// The states of a member, in their order.
const (
	Joining State = "joining" // it has not seen the map yet
	Active  State = "active"  // it may be given shards
	Leaving State = "leaving" // it gives its shards away
	Left    State = "left"    // it owns nothing and never will
	Fenced  State = "fenced"  // written by a coordinator: it owns nothing and never will
)

// Report is what a member says in its lease.
type Report struct {
	State State `json:"state"`
	// Map is the ID of the map by which the member may own shards. It owns none by another. Seq is that of the newest state of
	// this map that the member has seen.
	Map string `json:"map,omitempty"`
	Seq int64  `json:"seq,omitempty"`
	// Epoch is the highest epoch that the member has seen in any map.
	Epoch int64 `json:"epoch,omitempty"`
	// Capacity is the share of the load that the member should have, relative to others.
	Capacity float64 `json:"capacity"`
	// Released has the epochs at which the member has released shards that are drained.
	Released map[int]int64 `json:"released,omitempty"`
	// Wrote has the versions of what the member has written in these shards: see Shard.Wrote.
	Wrote map[int]string `json:"wrote,omitempty"`
	// Ready has the epochs at which the member has filled its cache for shards that are prepared.
	Ready map[int]int64 `json:"ready,omitempty"`
	// Load is the load of the shards that the member owns. Without it all shards count the same.
	Load map[int]float64 `json:"load,omitempty"`
}

// UnknownMap is the Map of a member whose report cannot be read: it may own any shard, by any map.
const UnknownMap = "?"

// Annotation is the annotation of the lease with the report.
const Annotation = "vedette.dev/shard-group-member"

// Text returns the value of the annotation.
func (r *Report) Text() string {
	data, _ := json.Marshal(r) // strings and numbers
	return string(data)
}

// ParseReport reads the value of the annotation.
func ParseReport(text string) (r Report, err error) {
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return r, fmt.Errorf("annotation %s is not valid: %w", Annotation, err)
	}
	switch r.State {
	case Joining, Active, Leaving, Left, Fenced:
		return r, nil
	}
	return r, fmt.Errorf("annotation %s has the unknown state %q", Annotation, r.State)
}

// Round returns a load with two significant digits, so that reports do not change all the time. What is not a load is 0.
func Round(load float64) float64 {
	if !(load > 0) || math.IsInf(load, 0) { // also NaN
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(load))-1)
	return math.Round(load/unit) * unit
}
