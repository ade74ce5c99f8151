package advice

import (
	"fmt"
	"strings"
	"time"

	"vedette.dev/cache"
)

// Kind is what is known of the objects of one informer.
type Kind struct {
	Informer string `json:"informer"`
	Type     string `json:"type"`
	Synced   bool   `json:"synced"`
	Objects  int    `json:"objects"`
	// Packed and Shared say how the objects are stored, Partly that fields are dropped, Unstructured that they have no Go type.
	Packed       bool `json:"packed,omitempty"`
	Shared       bool `json:"shared,omitempty"`
	Partly       bool `json:"partly,omitempty"`
	Unstructured bool `json:"unstructured,omitempty"`
	// Encoding and ObjectBytes are the encoding and the mean size of an object as it came, empty if unknown.
	Encoding    string `json:"encoding,omitempty"`
	ObjectBytes int64  `json:"objectBytes,omitempty"`
	// HeldBytes is the memory that objects take, by an estimate if they are not packed. It is 0 if unknown.
	HeldBytes int64 `json:"heldBytes,omitempty"`
	// Seconds is how long it was observed: since it was started.
	Seconds float64 `json:"seconds"`
	// Lists and Events are lists and loops, and events from the server, per second.
	Lists  float64 `json:"listsPerSecond"`
	Events float64 `json:"eventsPerSecond"`
	// Decodes and Callers are those of packed objects.
	Decodes []Decode `json:"decodes,omitempty"`
	Callers []Caller `json:"callers,omitempty"`
}

// Decode is what objects were decoded for.
type Decode struct {
	Use       string  `json:"use"`
	Objects   uint64  `json:"objects"`
	PerSecond float64 `json:"perSecond"`
	// Cores is the processor time per second.
	Cores float64 `json:"cores"`
}

// Caller is a function for which objects were decoded.
type Caller struct {
	Function string `json:"function"`
	Line     string `json:"line,omitempty"`
	Use      string `json:"use"`
	Objects  uint64 `json:"objects"`
	// Share is the part of all objects that were decoded.
	Share float64 `json:"share"`
}

// Percent formats the processor time, without a unit.
func (d Decode) Percent() string { return fmt.Sprintf("%.2g", 100*d.Cores) }

// Name returns the function without the path of its package, such as controllers.(*Shop).Reconcile.
func (c Caller) Name() string {
	if c.Function == "" {
		return "(others)"
	}
	base := c.Function
	if i := strings.IndexByte(base, '['); i >= 0 { // type arguments have paths of their own
		base = base[:i]
	}
	return c.Function[strings.LastIndexByte(base, '/')+1:]
}

// Percent formats the share, without a unit.
func (c Caller) Percent() string { return fmt.Sprintf("%.0f", 100*c.Share) }

// From returns what the state of an informer says.
func From(name string, s *cache.State, now time.Time) Kind {
	st := &s.Storage
	k := Kind{
		Informer: name, Type: s.Type, Synced: s.Synced, Objects: s.Objects,
		Packed: st.Packed, Shared: st.Shared, Partly: len(st.Keep)+len(st.Drop) > 0, Unstructured: st.Unstructured,
		Encoding: st.Encoding, ObjectBytes: st.ObjectBytes,
	}
	if !st.Since.IsZero() {
		k.Seconds = max(0, now.Sub(st.Since).Seconds())
	}
	perSecond := func(n float64) float64 {
		if st.Since.IsZero() {
			return 0
		}
		return n / max(1, k.Seconds)
	}
	k.Lists, k.Events = perSecond(float64(st.Lists)), perSecond(float64(s.Events))
	all := uint64(0)
	for _, d := range st.Decodes {
		all += d.Objects
		if d.Objects > 0 {
			k.Decodes = append(k.Decodes, Decode{d.Use, d.Objects, perSecond(float64(d.Objects)), perSecond(d.Time.Seconds())})
		}
	}
	for _, c := range st.Callers {
		k.Callers = append(k.Callers, Caller{c.Function, c.Line, c.Use, c.Objects, float64(c.Objects) / float64(max(1, all))})
	}
	k.HeldBytes = k.held(st.PackedBytes)
	return k
}

// held returns the memory of the objects, of which that of packed ones is known.
func (k *Kind) held(packed int64) int64 {
	switch {
	case k.Packed:
		return packed
	case k.Shared:
		return int64(sharedToLive * float64(k.live()))
	}
	return k.live()
}

// Storage names how the objects are stored.
func (k Kind) Storage() string {
	name := Live
	switch {
	case k.Packed:
		name = Packed
	case k.Shared:
		name = Shared
	}
	if k.Partly {
		name += ", some fields"
	}
	return name
}

// Cores returns the processor time per second that decoding takes.
func (k Kind) Cores() (sum float64) {
	for _, d := range k.Decodes {
		sum += d.Cores
	}
	return sum
}
