package cache

import (
	"time"

	"vedette.dev/internal/engine"
	"vedette.dev/internal/object"
)

// StorageState is how an informer stores its objects, and what its readers decode. The state of one shard has none: shards
// share the storage of their informer.
type StorageState struct {
	// Packed, Shared, Keep and Drop are those of the Storage that is in effect: StripManagedFields is a Drop.
	Packed, Shared bool
	Keep, Drop     []string
	// Unstructured is true if objects have no Go type.
	Unstructured bool
	// Since is when the informer was started, and everything below began to be counted.
	Since time.Time
	// Encoding is "protobuf", "json" or "cbor", and ObjectBytes the mean size of the objects that were received, without the
	// fields that are dropped. They are unknown, and zero, if the client returns no raw frames.
	Encoding    string
	ObjectBytes int64
	// PackedBytes is the memory of packed objects: the mean of all that were packed, for each object, with what they have in
	// common. It does not include keys and indexes, which take the same with any storage. It is 0 if objects are not packed.
	PackedBytes int64
	// Lists is the number of lists and of loops over iterators, of any storage. Reads by key are not counted, unless objects
	// are packed.
	Lists uint64
	// Decodes is what packed objects were decoded or copied for, in a fixed order. It is nil if objects are not packed.
	Decodes []DecodeState
	// Callers are the functions for which objects were decoded, the most objects first, at most 32, and one for the others of each
	// use. They are found by a sample of one in 1024 decodes.
	Callers []DecodeCaller
}

// DecodeState is how many packed objects were decoded, or copied from one that was decoded of late, for one use.
type DecodeState struct {
	// Use is "get", "list", "index" (a list by an index, such as of a namespace), "selector" (a list by a selector), "iterator"
	// (a loop over All or AllByIndex), "handler" (objects that handlers were called with), or "index_function".
	Use     string
	Objects uint64
	// Time is the time it took, by a sample of one in 16 decodes.
	Time time.Duration
}

// DecodeCaller is a function for which packed objects were decoded.
type DecodeCaller struct {
	// Function is the name of the first function outside of the packages that read, such as main.(*reconciler).Reconcile, and
	// Line is like reconciler.go:42. Both are empty for the callers that are not listed.
	Function, Line string
	// Use is as in DecodeState.
	Use     string
	Objects uint64
}

func storageState(s engine.State) StorageState {
	c := &s.Storage
	out := StorageState{
		Packed: c.Packed, Shared: c.Shared, Unstructured: c.Unstructured, Keep: c.Keep, Drop: c.Drop,
		Since: c.Since, Encoding: c.Encoding, ObjectBytes: c.Size, Lists: s.Views,
	}
	if !c.Packed {
		return out
	}
	if s.Objects > 0 {
		out.PackedBytes = c.PackedSize*int64(s.Objects) + c.Common
	}
	for use := object.ForGet; use < object.Uses; use++ {
		out.Decodes = append(out.Decodes, DecodeState{Use: use.String(), Objects: c.Uses[use].Objects, Time: c.Uses[use].Time})
	}
	for _, one := range c.Callers {
		out.Callers = append(out.Callers, DecodeCaller{Function: one.Function, Line: one.Line, Use: one.Use.String(), Objects: one.Objects})
	}
	return out
}
