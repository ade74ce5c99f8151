package cache

import (
	"testing"
	"testing/synctest"
)

// What a DeltaFIFO has beyond client-go's: a limit.

func TestAFullQueueMakesWritersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewDeltaFIFOWithOptions(DeltaFIFOOptions{MaxPending: 2})
		written := make(chan string, 10)
		go func() {
			for _, version := range []string{"1", "2", "3", "4"} {
				mustNot(t, f.Update(pod("", "a", version))) // one key, so that it is deltas that count
				written <- version
			}
			mustNot(t, f.Replace([]any{pod("", "a", "5"), pod("", "b", "5"), pod("", "c", "5")}, "5"))
			written <- "5"
		}()
		synctest.Wait()
		wantEqual(t, "written at first", len(written), 2)
		wantEqual(t, "deltas", len(Pop(f).(Deltas)), 2)
		synctest.Wait()
		wantEqual(t, "written after a Pop", len(written), 4)
		wantEqual(t, "deltas of the rest", len(Pop(f).(Deltas)), 2)
		synctest.Wait()
		wantEqual(t, "written after the rest", len(written), 5)
		wantEqual(t, "keys of the list, as a whole", f.ListKeys(), []string{"a", "b", "c"})
	})
}

func TestCloseReleasesWritersAndDropsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewDeltaFIFOWithOptions(DeltaFIFOOptions{MaxPending: 1})
		mustNot(t, f.Add(pod("", "a", "1")))
		for _, name := range []string{"b", "c"} {
			go func() { mustNot(t, f.Add(pod("", name, "1"))) }()
		}
		synctest.Wait()
		wantEqual(t, "queued", f.length(), 1)
		f.Close()
		synctest.Wait()
		wantEqual(t, "queued when closed", f.length(), 3)
		mustNot(t, f.verify())
	})
}

// It is the consumer that puts back, and nothing else would ever make room for it.
func TestTheConsumerNeverWaitsForRoom(t *testing.T) {
	f := NewDeltaFIFOWithOptions(DeltaFIFOOptions{MaxPending: 1})
	mustNot(t, f.Add(pod("", "a", "1")))
	for range 3 {
		_, err := f.Pop(func(any, bool) error { return ErrRequeue{} })
		mustNot(t, err)
	}
	mustNot(t, f.AddIfNotPresent(Deltas{{Added, pod("", "b", "1")}}))
	wantEqual(t, "queued", f.length(), 2)
	wantPanic(t, "MaxPending is -1", func() { NewDeltaFIFOWithOptions(DeltaFIFOOptions{MaxPending: -1}) })
}
