package cache

import (
	"testing"
	"testing/synctest"
)

// What a DeltaFIFO has beyond client-go's: batches and a limit.

func nextBatch(t *testing.T, f *DeltaFIFO) (b batch) {
	t.Helper()
	mustNot(t, f.popBatch(func(got batch) { b = got }))
	mustNot(t, f.verify())
	return b
}

func (b batch) keys() []string {
	keys := []string{}
	for _, p := range b.items {
		keys = append(keys, p.key)
	}
	return keys
}

func TestABatchIsEverythingThatIsPending(t *testing.T) {
	f := fifoOver(pod("", "gone", "1"))
	mustNot(t, f.Replace([]any{pod("", "a", "1"), pod("", "b", "2")}, "5"))
	mustNot(t, f.Update(pod("", "a", "6")))
	mustNot(t, f.Add(pod("", "c", "7")))
	b := nextBatch(t, f)
	wantEqual(t, "keys", b.keys(), []string{"a", "b", "gone", "c"})
	wantEqual(t, "deltas of a", len(b.items[0].deltas), 2)
	wantEqual(t, "of the first list", b.initial, 3)
	wantEqual(t, "synced", b.synced, true)
	wantEqual(t, "version", b.version, "7")
	wantEqual(t, "stamp", b.items[0].stampAt(1).version, "6")

	mustNot(t, f.Update(pod("", "a", "8")))
	b = nextBatch(t, f)
	wantEqual(t, "of the first list", b.initial, 0)
	wantEqual(t, "version", b.version, "8")
}

func TestTheVersionOfABatchIsNotSpoiltByATransformer(t *testing.T) {
	f := NewDeltaFIFOWithOptions(DeltaFIFOOptions{Transformer: func(any) (any, error) { return pod("", "a", ""), nil }})
	mustNot(t, f.Add(pod("", "a", "3")))
	b := nextBatch(t, f)
	wantEqual(t, "version", b.version, "3")
	wantEqual(t, "stamp", b.items[0].stampAt(0).version, "3")
}

func TestABookmarkIsABatchOfItsOwnIfNothingIsPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewDeltaFIFO(MetaNamespaceKeyFunc, nil)
		batches := make(chan batch)
		go func() { _ = f.popBatch(func(b batch) { batches <- b }) }()
		synctest.Wait()
		mustNot(t, f.Bookmark("9"))
		b := <-batches
		wantEqual(t, "items", len(b.items), 0)
		wantEqual(t, "version", b.version, "9")
		wantEqual(t, "synced", b.synced, false)

		mustNot(t, f.Replace(nil, "10"))
		b = nextBatch(t, f)
		wantEqual(t, "version of an empty list", b.version, "10")
		wantEqual(t, "synced by an empty list", b.synced, true)
		f.Close()
		wantEqual(t, "error", f.popBatch(nil), ErrFIFOClosed)
	})
}

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
		wantEqual(t, "version of the batch", nextBatch(t, f).version, "4")
		synctest.Wait()
		wantEqual(t, "written after a batch", len(written), 5)
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

// It is the consumer that puts back, and nobody would ever make room for it.
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
