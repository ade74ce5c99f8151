package workqueue

import (
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"
)

// Each queue does, step by step, what its model does; see machine.

func TestFIFOQueueDoesWhatItsModelDoes(t *testing.T)            { checkAgainstModel(t, fifoKind) }
func TestQueueWithAUsersStoreDoesWhatItsModelDoes(t *testing.T) { checkAgainstModel(t, lifoKind) }
func TestDelayingQueueDoesWhatItsModelDoes(t *testing.T)        { checkAgainstModel(t, delayingKind) }
func TestRateLimitingQueueDoesWhatItsModelDoes(t *testing.T)    { checkAgainstModel(t, classicKind) }
func TestHonestQueueDoesWhatItsModelDoes(t *testing.T)          { checkAgainstModel(t, honestKind) }
func TestFairQueueDoesWhatItsModelDoes(t *testing.T)            { checkAgainstModel(t, fairKind) }

func checkAgainstModel(t *testing.T, k kind) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(bubbleT{t}, func(t *rapid.T) {
			x := newMachine(t, k)
			actions := map[string]func(*rapid.T){"": func(t *rapid.T) { x.settle() }}
			for name, step := range x.steps {
				actions[name] = func(t *rapid.T) { step(rapidChooser{t}) }
			}
			t.Repeat(actions)
			x.finish()
		})
	})
}

// bubbleT hides the *testing.T from rapid, which would ask it for its deadline: that is not allowed in a bubble.
type bubbleT struct{ rapid.TB }

type rapidChooser struct{ t *rapid.T }

func (c rapidChooser) pick(n int) int { return rapid.IntRange(0, n-1).Draw(c.t, "pick") }

// byteChooser reads its choices from the bytes of a fuzzer, and picks zero when they are used up.
type byteChooser struct{ data []byte }

func (c *byteChooser) pick(n int) int {
	if len(c.data) == 0 {
		return 0
	}
	b := int(c.data[0])
	c.data = c.data[1:]
	return b % n
}

func FuzzQueueOperations(f *testing.F)    { fuzzOperations(f, fifoKind, lifoKind) }
func FuzzDelayingOperations(f *testing.F) { fuzzOperations(f, delayingKind, classicKind, honestKind) }
func FuzzFairOperations(f *testing.F)     { fuzzOperations(f, fairKind) }

// fuzzOperations reads the first byte as the kind of queue and the others as steps and what they need.
func fuzzOperations(f *testing.F, kinds ...kind) {
	f.Add([]byte{})
	f.Add([]byte("\x00add, get, done: whatever these letters stand for"))
	f.Add([]byte{1, 0, 3, 0, 3, 2, 0, 5, 1, 3, 4, 3, 2, 6, 6, 6, 1, 4, 5, 5, 0, 0, 1, 7, 7})
	f.Add([]byte{2, 2, 1, 2, 1, 8, 3, 5, 5, 2, 1, 3, 3, 1, 2, 8, 8, 4, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &byteChooser{data[:min(len(data), 400)]}
		k := kinds[c.pick(len(kinds))]
		synctest.Test(t, func(t *testing.T) {
			x := newMachine(t, k)
			for len(c.data) > 0 {
				x.steps[x.order[c.pick(len(x.order))]](c)
				x.settle()
			}
			x.finish()
		})
	})
}
