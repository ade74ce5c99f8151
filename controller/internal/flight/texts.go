package flight

import (
	"slices"
	"strings"
)

const (
	// maxText is how much of a text is kept.
	maxText = 240
	// textOverhead is about what a text takes in addition to its bytes.
	textOverhead = 96
)

// texts has the last failure messages of the keys with the newest failures.
type texts struct {
	byHash map[uint64]text
	// order has the hashes in the order in which their texts were added. Some may have been evicted or added again since.
	order []arrival
	last  uint64
	size  int
}

type text struct {
	words  string
	number uint64
}

// arrival is the text of a key that had a number then.
type arrival struct{ hash, number uint64 }

// put stores the text of a key, and evicts the oldest ones while all together take more than limit bytes.
func (t *texts) put(hash uint64, words string, limit int) {
	if len(words) > maxText {
		words = strings.ToValidUTF8(words[:maxText], "") + "…"
	}
	if t.byHash == nil {
		t.byHash = make(map[uint64]text)
	}
	if old, known := t.byHash[hash]; known && old.words == words {
		return // repeated failures mostly have the same message
	}
	t.drop(hash)
	t.last++
	// Copy the text, so that a substring does not keep a large string alive.
	t.byHash[hash] = text{strings.Clone(words), t.last}
	t.order = append(t.order, arrival{hash, t.last})
	t.size += len(words) + textOverhead
	for t.size > limit && len(t.byHash) > 1 {
		t.dropOldest()
	}
	if len(t.order) > 2*len(t.byHash)+16 {
		t.order = slices.DeleteFunc(t.order, func(a arrival) bool { return !t.has(a) })
	}
}

func (t *texts) has(a arrival) bool {
	kept, ok := t.byHash[a.hash]
	return ok && kept.number == a.number
}

func (t *texts) dropOldest() {
	for {
		a := t.order[0]
		t.order = t.order[1:]
		if t.has(a) {
			t.drop(a.hash)
			return
		}
	}
}

func (t *texts) drop(hash uint64) {
	if old, ok := t.byHash[hash]; ok {
		t.size -= len(old.words) + textOverhead
		delete(t.byHash, hash)
	}
}

func (t *texts) get(hash uint64) string { return t.byHash[hash].words }
