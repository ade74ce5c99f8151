package synctrack

import (
	"errors"
	"sync/atomic"
	"testing"

	"vedette.dev/cache"
)

var (
	_ cache.DoneChecker = (*AsyncTracker[string])(nil)
	_ cache.DoneChecker = (*SingleFileTracker)(nil)
)

func want(t *testing.T, c cache.DoneChecker, has bool, synced bool) {
	t.Helper()
	if cache.IsDone(c) != synced || has != synced {
		t.Errorf("%s: synced is %v and done is %v, want %v", c.Name(), has, cache.IsDone(c), synced)
	}
}

func TestAsyncTrackerWaitsForKeysInAnyOrder(t *testing.T) {
	tr := NewAsyncTracker[string]("async")
	for _, key := range []string{"a", "b", "a"} {
		tr.Start(key)
	}
	tr.Finished("b")
	tr.Finished("never started")
	want(t, tr, tr.HasSynced(), false)
	tr.UpstreamHasSynced()
	want(t, tr, tr.HasSynced(), false)
	tr.Finished("a")
	want(t, tr, tr.HasSynced(), true)
	tr.Start("later")
	tr.UpstreamHasSynced()
	want(t, tr, tr.HasSynced(), true)
}

func TestAsyncTrackerOfNothingWaitsForUpstream(t *testing.T) {
	tr := NewAsyncTracker[int]("async")
	want(t, tr, tr.HasSynced(), false)
	tr.UpstreamHasSynced()
	want(t, tr, tr.HasSynced(), true)
}

func TestSingleFileTrackerCounts(t *testing.T) {
	tr := NewSingleFileTracker("single")
	tr.Start()
	tr.Start()
	tr.Finished()
	tr.UpstreamHasSynced()
	want(t, tr, tr.HasSynced(), false)
	tr.Finished()
	want(t, tr, tr.HasSynced(), true)
	tr.Start()
	tr.Finished()
	defer func() {
		if recover() == nil {
			t.Error("one Finished too many did not panic")
		}
	}()
	tr.Finished()
}

func TestLazyEvaluatesOnceUntilNotified(t *testing.T) {
	calls := 0
	fail := errors.New("not now")
	var err error
	z := &Lazy[int]{Evaluate: func() (int, error) { calls++; return calls, err }}
	get := func(wantValue int, wantErr error) {
		t.Helper()
		if v, err := z.Get(); v != wantValue || err != wantErr {
			t.Errorf("got %d, %v, want %d, %v", v, err, wantValue, wantErr)
		}
	}
	get(1, nil)
	get(1, nil)
	z.Notify()
	err = fail
	get(2, fail)
	get(3, fail) // an error is not kept
	err = nil
	get(4, nil)
	get(4, nil)
}

func TestLazyLetsAllWaitForOneAnswer(t *testing.T) {
	entered, release := make(chan struct{}, 10), make(chan struct{})
	var calls atomic.Int32
	z := &Lazy[int32]{Evaluate: func() (int32, error) {
		n := calls.Add(1)
		entered <- struct{}{}
		<-release
		return n, nil
	}}
	got := make(chan int32, 10)
	ask := func() {
		v, err := z.Get()
		if err != nil {
			t.Error(err)
		}
		got <- v
	}
	go ask()
	<-entered
	z.Notify() // those who ask from now on want a newer answer
	for range 5 {
		go ask()
	}
	<-entered
	close(release)
	sum := int32(0)
	for range 6 {
		sum += <-got
	}
	if sum != 1+5*2 || calls.Load() != 2 {
		t.Errorf("%d calls, answers add up to %d", calls.Load(), sum)
	}
}
