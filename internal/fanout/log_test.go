package fanout

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/go-logr/logr"
)

func TestEveryListenerDeliversEverythingInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := startLog(t)
		one, two := &diary{}, &diary{}
		listen(log, config(one.call))
		listen(log, config(two.call))
		log.Append([]Notification{added("a", 1), added("b", 1)})
		log.Append([]Notification{updated("a", 1, 2), resynced("b", 1), deleted("b", 1)})
		synctest.Wait()
		want := []string{"add a to 1", "add b to 1", "update a from 1 to 2", "resync b from 1 to 1", "delete b from 1"}
		wantEqual(t, "the first", one.read(), want)
		wantEqual(t, "the second", two.read(), want)
	})
}

func TestAListenerThatComesLateDeliversItsReplayAndThenTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := startLog(t)
		listen(log, config(func(*Notification) {}))
		log.Append([]Notification{added("a", 1)})
		d, gate := &diary{}, make(chan struct{})
		d.during = func(string) { <-gate }
		replay := &listReplay{notifications: []Notification{added("a", 1), added("b", 1)}}
		l := NewListener(config(d.call))
		log.Add(l, func() Replay { return replay })
		log.Append([]Notification{updated("a", 1, 2)})
		synctest.Wait()
		wantEqual(t, "waiting", l.State().Waiting, 3)
		wantEqual(t, "delivered", log.Delivered(), uint64(0))
		close(gate)
		synctest.Wait()
		wantEqual(t, "notifications", d.read(), []string{"add a to 1", "add b to 1", "update a from 1 to 2"})
		wantEqual(t, "waiting", l.State().Waiting, 0)
		wantEqual(t, "releases", replay.released, 1)
	})
}

func TestAListenerThatEndsInItsReplayReleasesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := startLog(t)
		var l *Listener
		d := &diary{during: func(string) { log.Remove(l) }}
		replay := &listReplay{notifications: []Notification{added("a", 1), added("b", 1)}}
		l = NewListener(config(d.call))
		log.Add(l, func() Replay { return replay })
		synctest.Wait()
		wantEqual(t, "notifications", d.read(), []string{"add a to 1"})
		wantEqual(t, "releases", replay.released, 1)
	})
}

func TestAListenerFarBehindDeliversTheNewestOfEachKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := startLog(t)
		gate := make(chan struct{})
		slow := &diary{during: func(string) { <-gate }}
		fast := &diary{}
		c := config(slow.call)
		c.MaxWaiting = 10
		l := listen(log, c)
		listen(log, config(fast.call))
		log.Append([]Notification{added("a", 1), added("b", 1), added("c", 1)})
		synctest.Wait()
		for i := 1; i < 100; i++ {
			log.Append([]Notification{updated("a", i, i+1)})
			synctest.Wait()
		}
		log.Append([]Notification{deleted("b", 1), added("d", 1)})
		log.Append([]Notification{added("b", 2), deleted("d", 1)})
		synctest.Wait()
		wantEqual(t, "calls of the fast one", len(fast.read()), 3+99+4)
		state := l.State()
		wantEqual(t, "coalescing", state.Coalescing, true)
		wantEqual(t, "waiting", state.Waiting, 3) // c, a, and b that is new again; the handler did not know the b before
		if state.Busy.IsZero() || state.Oldest.IsZero() {
			t.Errorf("busy since %v, oldest of %v", state.Busy, state.Oldest)
		}
		close(gate)
		synctest.Wait()
		wantEqual(t, "notifications", slow.read(), []string{"add a to 1", "add c to 1", "update a from 1 to 100", "add b to 2"})
		log.Append([]Notification{updated("a", 100, 101)})
		synctest.Wait()
		wantEqual(t, "back at the log", slow.read(), []string{"update a from 100 to 101"})
		state = l.State()
		wantEqual(t, "coalescing", state.Coalescing, false)
		wantEqual(t, "waiting", state.Waiting, 0)
	})
}

// TestABurstIsNotCoalesced: with the default limit, a listener that is behind for a moment only is notified of every change.
func TestABurstIsNotCoalesced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := startLog(t)
		gate := make(chan struct{})
		d := &diary{during: func(string) { <-gate }}
		l := listen(log, config(d.call))
		time.Sleep(time.Hour) // a listener that has nothing to deliver is not behind
		version := 0
		burst := func() {
			for range 2 * defaultWaiting {
				log.Append([]Notification{updated("a", version, version+1)})
				version++
			}
			synctest.Wait()
		}
		burst()
		wantEqual(t, "coalescing in a burst", l.State().Coalescing, false)
		time.Sleep(defaultDelay)
		burst()
		wantEqual(t, "coalescing after the delay", l.State().Coalescing, false)
		time.Sleep(time.Nanosecond)
		log.Append([]Notification{updated("a", version, version+1)})
		wantEqual(t, "coalescing when it is behind", l.State().Coalescing, true)
		close(gate)
		synctest.Wait()
		wantEqual(t, "notifications", d.read(), []string{"update a from 0 to 1", fmt.Sprintf("update a from 1 to %d", version+1)})
	})
}

// TestAReplayIsADelay: a listener that is added late and is slow in its replay is behind, too.
func TestAReplayIsADelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := startLog(t)
		gate := make(chan struct{})
		d := &diary{during: func(string) { <-gate }}
		l := listen(log, config(d.call), added("a", 0))
		synctest.Wait()
		time.Sleep(2 * defaultDelay)
		for i := range defaultWaiting + 2 {
			log.Append([]Notification{updated("a", i, i+1)})
		}
		wantEqual(t, "coalescing", l.State().Coalescing, true)
		close(gate)
		synctest.Wait()
		wantEqual(t, "calls", len(d.read()), 2)
	})
}

func TestAListenerWithoutALimitDeliversEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := startLog(t)
		gate := make(chan struct{})
		d := &diary{during: func(string) { <-gate }}
		c := config(d.call)
		c.MaxWaiting = -1
		l := listen(log, c)
		const updates = 2 * defaultWaiting
		for i := range updates {
			log.Append([]Notification{updated("a", i, i+1)})
		}
		synctest.Wait()
		wantEqual(t, "waiting", l.State().Waiting, updates-1)
		close(gate)
		synctest.Wait()
		wantEqual(t, "calls", len(d.read()), updates)
	})
}

// Each handler believes what it is notified of. In the end it knows the newest state, however slow it is.
func TestHandlersOfAllSpeedsEndWithTheNewestState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := startLog(t)
		w := &world{objects: map[string]*object{}}
		random := rand.New(rand.NewPCG(1, 2))
		var believers []*believer
		join := func() {
			b := &believer{knows: map[string]*object{}}
			pause := time.Duration(random.IntN(20)) * time.Millisecond
			c := config(func(n *Notification) {
				time.Sleep(pause)
				b.call(n)
			})
			c.MaxWaiting = 1 + random.IntN(10)
			var replay []Notification
			for key, o := range w.objects {
				replay = append(replay, Notification{Key: key, New: o, Type: Added, Initial: true})
			}
			listen(log, c, replay...)
			believers = append(believers, b)
		}
		for step := range 5000 {
			if step%500 == 0 {
				join()
			}
			var batch []Notification
			for range 1 + random.IntN(4) {
				batch = append(batch, w.change(chooser{random}))
			}
			log.Append(batch)
			time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		for i, b := range believers {
			mustNot(t, b.err)
			wantEqual(t, fmt.Sprint("what handler ", i, " knows"), versions(b.knows), versions(w.objects))
		}
		wantEqual(t, "all delivered", log.AllDelivered(), true)
		if !slices.ContainsFunc(log.States(), func(s State) bool { return s.Coalesced > 0 }) {
			t.Error("nothing was coalesced")
		}
	})
}

type chooser struct{ random *rand.Rand }

func (c chooser) Pick(n int) int { return c.random.IntN(n) }

func TestAListenerHasSyncedWhenItHasDeliveredTheFirstList(t *testing.T) {
	for name, maxWaiting := range map[string]int{"from the log": -1, "from the backlog": 1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := startLog(t)
				gate := make(chan struct{})
				c := config(func(*Notification) { <-gate })
				c.MaxWaiting = maxWaiting
				synced := 0
				c.OnSynced = func() { synced++ }
				l := listen(log, c)
				log.Append([]Notification{added("a", 1), added("b", 1)})
				log.MarkSynced()
				for i := range 5 {
					log.Append([]Notification{updated("c", i, i+1)})
					synctest.Wait()
				}
				for range 2 {
					synctest.Wait()
					wantEqual(t, "synced", l.State().Synced, false)
					gate <- struct{}{}
				}
				synctest.Wait()
				wantEqual(t, "synced", l.State().Synced, true)
				close(gate)
				synctest.Wait()
				wantEqual(t, "calls of OnSynced", synced, 1)
			})
		})
	}
}

func TestAnEmptyFirstListSyncs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := startLog(t)
		before := listen(log, config(func(*Notification) {}))
		synctest.Wait()
		wantEqual(t, "synced", before.State().Synced, false)
		log.MarkSynced()
		after := listen(log, config(func(*Notification) {}))
		synctest.Wait()
		wantEqual(t, "synced", before.State().Synced, true)
		wantEqual(t, "one that comes late", after.State().Synced, true)
	})
}

func TestAResyncReachesTheListenersThatAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := NewLog(10*time.Second, logr.Discard())
		t.Cleanup(log.End)
		often, seldom, not := &diary{}, &diary{}, &diary{}
		for d, period := range map[*diary]time.Duration{often: 2 * time.Second, seldom: 5 * time.Second, not: 0} {
			c := config(d.call)
			c.ResyncPeriod = period
			listen(log, c)
		}
		log.Start()
		wantEqual(t, "period", log.Period(), 2*time.Second)
		resync := func() {
			time.Sleep(log.Period())
			if log.ShouldResync() {
				log.Append([]Notification{resynced("a", 1)})
			}
			synctest.Wait()
		}
		for range 5 { // 2, 4, 6, 8 and 10 seconds
			resync()
		}
		wantEqual(t, "often", len(often.read()), 5)
		wantEqual(t, "seldom", len(seldom.read()), 1) // after 6 seconds, and then after 11
		wantEqual(t, "without a period", len(not.read()), 0)
		late := &diary{}
		c := config(late.call)
		c.ResyncPeriod = time.Second // less than the period of the log
		listen(log, c)
		resync()
		wantEqual(t, "late", len(late.read()), 1)
	})
}

func TestAResyncPeriodIsAtLeastASecondAndThatOfTheRunningLog(t *testing.T) {
	log := NewLog(time.Minute, logr.Discard())
	period := func(want time.Duration) time.Duration {
		c := config(func(*Notification) {})
		c.ResyncPeriod = want
		return listen(log, c).resync.period
	}
	wantEqual(t, "less than a second", period(time.Millisecond), time.Second)
	wantEqual(t, "period of the log", log.Period(), time.Second)
	log.Start()
	defer log.End()
	log.check = time.Minute
	wantEqual(t, "less than that of the log", period(time.Second), time.Minute)
	wantEqual(t, "more", period(time.Hour), time.Hour)
	log.check = 0
	wantEqual(t, "of a log without resyncs", period(time.Hour), 0)
}

func TestAPanicConcernsOneNotification(t *testing.T) {
	for name, c := range map[string]struct {
		policy PanicPolicy
		calls  int
		took   time.Duration
	}{
		"skip":  {PanicSkip, 1, 0},
		"retry": {PanicRetry, 3, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := startLog(t)
				began, took := time.Now(), time.Duration(0)
				d := &diary{during: func(line string) {
					if line == "add a to 1" {
						took = time.Since(began)
					}
					if strings.HasSuffix(line, "bad to 1") {
						panic("boom")
					}
				}}
				config := config(d.call)
				config.OnPanic = c.policy
				l := listen(log, config, added("bad", 1)) // in the replay, and once more in a batch
				log.Append([]Notification{added("a", 1), {Key: "also bad", New: 1, Type: Added}, added("b", 1)})
				time.Sleep(2 * c.took)
				synctest.Wait()
				var want []string
				for range c.calls {
					want = append(want, "add bad to 1")
				}
				want = append(want, "add a to 1")
				for range c.calls {
					want = append(want, "add also bad to 1")
				}
				wantEqual(t, "calls", d.read(), append(want, "add b to 1"))
				wantEqual(t, "pauses", took, c.took)
				state := l.State()
				wantEqual(t, "panics", state.Panics, uint64(2*c.calls))
				wantEqual(t, "handled", state.Handled, uint64(4))
				wantEqual(t, "last panic", state.LastPanic, `handler test panicked on "also bad": boom`)
			})
		})
	}
}

func TestAHandlerThatEndsItsGoroutineIsNotCalledAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := startLog(t)
		d := &diary{during: func(string) { runtime.Goexit() }}
		c := config(d.call)
		ended := 0
		c.OnEnded = func() { ended++ }
		listen(log, c)
		for i := range 2 * defaultWaiting {
			log.Append([]Notification{updated("a", i, i+1)})
		}
		synctest.Wait()
		wantEqual(t, "calls", len(d.read()), 1)
		wantEqual(t, "ended", ended, 1)
		wantEqual(t, "all delivered", log.AllDelivered(), true)
	})
}

func TestEndWaitsForHandlersAndRemoveDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := startLog(t)
		gate := make(chan struct{})
		var ended atomic.Int32
		block := config(func(*Notification) { <-gate })
		block.OnEnded = func() { ended.Add(1) }
		removed := listen(log, block)
		listen(log, block)
		log.Append([]Notification{added("a", 1)})
		synctest.Wait()
		log.Remove(removed)
		log.Remove(removed)
		wantEqual(t, "has listeners", log.HasListeners(), true)
		done := make(chan struct{})
		go func() { defer close(done); log.End() }()
		time.Sleep(time.Hour)
		select {
		case <-done:
			t.Error("End returned while handlers were running")
		default:
		}
		wantEqual(t, "ended", ended.Load(), 0)
		close(gate)
		<-done
		wantEqual(t, "ended", ended.Load(), 2)
		wantEqual(t, "added after the end", log.Add(NewListener(block), nil), false)
	})
}

func TestListenersOfALogThatNeverStartedEndOnce(t *testing.T) {
	log := NewLog(0, logr.Discard())
	ended := 0
	c := config(func(*Notification) {})
	c.OnEnded = func() { ended++ }
	removed := listen(log, c)
	listen(log, c)
	log.Remove(removed)
	wantEqual(t, "ended", ended, 1)
	log.End()
	log.End()
	wantEqual(t, "ended", ended, 2)
}

func TestWhatIsUndelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := startLog(t)
		wantEqual(t, "all delivered without listeners", log.AllDelivered(), true)
		gate := make(chan struct{})
		c := config(func(*Notification) { <-gate })
		c.MaxWaiting = 1
		listen(log, c)
		next := func() {
			gate <- struct{}{}
			synctest.Wait()
		}
		log.Append([]Notification{added("a", 1), added("b", 1)}) // 1, 2
		synctest.Wait()
		wantEqual(t, "next", log.Next(), 3)
		if n := log.Delivered(); n > 1 {
			t.Errorf("delivered before %d, but the call of 1 has not returned", n)
		}
		wantEqual(t, "a key of which nothing is in the log", log.Undelivered("x"), true) // not known while a batch is read
		next()
		wantEqual(t, "delivered", log.Delivered(), 2)
		for i := range 4 { // 3 to 6, which are coalesced
			log.Append([]Notification{updated("c", i, i+1)})
		}
		log.Append([]Notification{deleted("a", 1)}) // 7
		if n := log.Delivered(); n > 2 {
			t.Errorf("delivered before %d, but the call of 2 has not returned", n)
		}
		next()
		wantEqual(t, "delivered", log.Delivered(), 3)
		wantEqual(t, "the key of the call", log.Undelivered("c"), true)
		wantEqual(t, "a key that waits", log.Undelivered("a"), true)
		wantEqual(t, "a key that does not", log.Undelivered("b"), false)
		next()
		wantEqual(t, "delivered", log.Delivered(), 7)
		wantEqual(t, "a key that was delivered", log.Undelivered("c"), false)
		wantEqual(t, "all delivered", log.AllDelivered(), false)
		next()
		wantEqual(t, "delivered", log.Delivered(), log.Next())
		wantEqual(t, "all delivered", log.AllDelivered(), true)
	})
}

func TestAListenerThatHasReadEverythingHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := startLog(t)
		l := listen(log, config(func(*Notification) {}))
		log.Append([]Notification{updated("a", 1, 2)})
		synctest.Wait()
		if n := len(l.batch.notifications); n > 0 || l.batch != log.last {
			t.Errorf("it holds a batch of %d notifications", n)
		}
	})
}

// What a handler that is behind holds for each notification is a published figure.
func TestANotificationTakes64Bytes(t *testing.T) {
	wantEqual(t, "size", unsafe.Sizeof(Notification{}), 64)
}

func TestDeliveryAllocatesTwoBatchesForEachAppend(t *testing.T) {
	log := startLog(t)
	done := make(chan struct{}, 1)
	calls := 0
	const length = 64
	listen(log, config(func(*Notification) {
		if calls++; calls == length {
			calls = 0
			done <- struct{}{}
		}
	}))
	batch := make([]Notification, length)
	for i := range batch {
		batch[i] = updated("a", 1, 2)
	}
	got := testing.AllocsPerRun(100, func() {
		log.Append(batch)
		<-done
	})
	if got > 2 {
		t.Errorf("%v allocations for each append, want the batch and the empty one after it", got)
	}
}
