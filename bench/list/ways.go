package list

import (
	"context"

	"vedette.dev/bench/harness"
)

// A way is one of the three to read a list.
type way struct {
	name, doc string

	// metaOnly says that nothing but the metadata is looked at.
	metaOnly bool

	// read lists once. It returns what it saw, and what a caller would keep.
	read func(ctx context.Context, r reader, limit int64) (seen sums, kept any, err error)

	// cpu is the aim for the processor time, as a ratio; memory that for the extra memory.
	cpu    float64
	memory harness.Aim
}

// streamMemory is what a list that is read as a stream may need, however long it is.
const streamMemory = 16 << 20

var ways = []way{
	{
		name: "whole",
		doc:  "decode the list and keep it",
		read: readWhole,
		cpu:  1.0,
	},
	{
		name:   "stream",
		doc:    "look at each pod, decoded, and keep none",
		read:   readStream,
		cpu:    1.0,
		memory: harness.AtMost(streamMemory),
	},
	{
		name:     "meta",
		doc:      "look at name, UID and labels of each pod, and keep none",
		metaOnly: true,
		read:     readMeta,
		cpu:      0.5,
		memory:   harness.AtMost(streamMemory),
	},
}

func readWhole(ctx context.Context, r reader, limit int64) (sums, any, error) {
	var s sums
	list, err := r.whole(ctx, limit)
	if err != nil {
		return s, nil, err
	}
	for i := range list.Items {
		s.addPod(&list.Items[i])
	}
	return s, list, nil
}

func readStream(ctx context.Context, r reader, limit int64) (sums, any, error) {
	var s sums
	err := r.stream(ctx, limit, s.addPod)
	return s, nil, err
}

func readMeta(ctx context.Context, r reader, limit int64) (sums, any, error) {
	var s sums
	err := r.meta(ctx, limit, s.addMeta)
	return s, nil, err
}
