package workqueue

import (
	"testing"
	"testing/synctest"
)

// drain starts ShutDownWithDrain and returns a channel that is closed when it is over.
func drain(q TypedInterface[string]) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		defer close(over)
		q.ShutDownWithDrain()
	}()
	synctest.Wait()
	return over
}

func isOver(over <-chan struct{}) bool {
	synctest.Wait()
	select {
	case <-over:
		return true
	default:
		return false
	}
}

// forEachKindInBubble is forEachKind with virtual time.
func forEachKindInBubble(t *testing.T, test func(t *testing.T, q TypedInterface[string])) {
	for _, k := range queueKinds {
		t.Run(k.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := k.make(setup{})
				defer q.ShutDown()
				test(t, q)
			})
		})
	}
}

func TestDrainWaitsForWhatIsProcessing(t *testing.T) {
	forEachKindInBubble(t, func(t *testing.T, q TypedInterface[string]) {
		q.Add("a")
		q.Add("b")
		expect(t, q, "a", "b")
		over := drain(q)
		q.Done("a")
		if isOver(over) {
			t.Error("the drain is over while b is processing")
		}
		q.Done("b")
		if !isOver(over) {
			t.Error("the drain is not over after the last Done")
		}
	})
}

func TestDrainDoesNotWaitForWhatIsOnlyQueued(t *testing.T) {
	forEachKindInBubble(t, func(t *testing.T, q TypedInterface[string]) {
		q.Add("a")
		if !isOver(drain(q)) {
			t.Error("the drain waits for a key that no worker has taken")
		}
		expect(t, q, "a")
	})
}

func TestShutDownReleasesDrains(t *testing.T) {
	forEachKindInBubble(t, func(t *testing.T, q TypedInterface[string]) {
		q.Add("a")
		expect(t, q, "a")
		first, second := drain(q), drain(q)
		if isOver(first) || isOver(second) {
			t.Error("a drain is over while a is processing")
		}
		q.ShutDown()
		if !isOver(first) || !isOver(second) {
			t.Error("ShutDown did not release the drains")
		}
	})
}

func TestKeyThatIsDirtyAtDrainIsHandedOutAgain(t *testing.T) {
	forEachKindInBubble(t, func(t *testing.T, q TypedInterface[string]) {
		q.Add("a")
		expect(t, q, "a")
		q.Add("a")
		over := drain(q)
		q.Done("a")
		if !isOver(over) {
			t.Error("the drain waits for a key that no worker has taken again")
		}
		expect(t, q, "a")
		if !q.ShuttingDown() {
			t.Error("ShuttingDown is false")
		}
	})
}

func TestDrainAfterShutDownWaitsToo(t *testing.T) {
	forEachKindInBubble(t, func(t *testing.T, q TypedInterface[string]) {
		q.Add("a")
		expect(t, q, "a")
		q.ShutDown()
		over := drain(q)
		if isOver(over) {
			t.Error("the drain is over while a is processing")
		}
		q.Done("a")
		if !isOver(over) {
			t.Error("the drain is not over after Done")
		}
	})
}
