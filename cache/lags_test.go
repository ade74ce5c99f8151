package cache

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// holdUp is a detector that holds up what is put into the store, if a test sets until.
type holdUp struct{ until chan struct{} }

func (h *holdUp) AddObject(any) {
	if h.until != nil {
		<-h.until
	}
}

func (h *holdUp) Run(stop <-chan struct{}) { <-stop }

func TestLagsAreCountedOnceABatch(t *testing.T) {
	s, held := newStage(pod("ns", "a", "1")), &holdUp{}
	inBubble(t, s, SharedIndexInformerOptions{MutationDetector: held}, func(t *testing.T, i *informer) {
		synctest.Wait()
		lags := StateOf(i).Lags
		wantEqual(t, "after the list", lags, Lags{Batches: 1, Within: [6]uint64{1}})
		held.until = make(chan struct{})
		s.current().Modify(pod("ns", "a", "2"))
		time.Sleep(3 * time.Second)
		synctest.Wait()
		s.current().Modify(pod("ns", "a", "3"))
		s.current().Add(pod("ns", "b", "4"))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		state := StateOf(i)
		wantEqual(t, "pending", state.Pending, 2) // the first was taken
		wantEqual(t, "since", time.Since(state.PendingSince), 2*time.Second)
		close(held.until)
		synctest.Wait()
		state = StateOf(i)
		wantEqual(t, "pending", state.Pending, 0)
		wantEqual(t, "since", state.PendingSince.IsZero(), true)
		wantEqual(t, "lags", state.Lags, Lags{Batches: 3, Total: 7 * time.Second, Within: [6]uint64{0: 1, 4: 2}})
	})
}

func TestHandlersKeepTheirNumber(t *testing.T) {
	s := newStage()
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		first := listen(t, i, &diary{}, HandlerOptions{})
		listen(t, i, &diary{}, HandlerOptions{})
		if err := ShutDownEventHandler(i, first); err != nil {
			t.Fatal(err)
		}
		listen(t, i, &diary{}, HandlerOptions{})
		var numbers []int
		for _, h := range StateOf(i).Handlers {
			numbers = append(numbers, h.Number)
		}
		wantEqual(t, "numbers", numbers, []int{2, 3})
	})
}

func TestFailedListsAndWatchesAreCounted(t *testing.T) {
	s := newStage(pod("ns", "a", "1"))
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		synctest.Wait()
		state := StateOf(i)
		wantEqual(t, "lists", state.ListsFailed.Total(), uint64(0))
		wantEqual(t, "the stream", state.WatchesFailed, FailureCounts{Refused: 1})
		time.Sleep(2 * time.Second)
		s.current().Stop() // the server ends it in time: no failure
		synctest.Wait()
		wantEqual(t, "watches", StateOf(i).WatchesFailed.Total(), uint64(1))
		s.relist()
		time.Sleep(time.Minute)
		synctest.Wait()
		state = StateOf(i)
		wantEqual(t, "watches", state.WatchesFailed.Expired, uint64(1))
		wantEqual(t, "lists", state.ListsFailed.Total(), uint64(0))
		s.mu.Lock()
		s.listErr = context.DeadlineExceeded
		s.mu.Unlock()
		s.relist()
		time.Sleep(time.Minute)
		synctest.Wait()
		state = StateOf(i)
		if n := state.ListsFailed.Timeout; n < 3 || n != state.ListsFailed.Total() || state.Lists != n+2 {
			t.Errorf("%d lists, failed %v", state.Lists, state.ListsFailed)
		}
	})
}
