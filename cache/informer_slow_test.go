package cache

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// stuck is a handler that hangs in its first update until it is let go.
func stuck() (*diary, chan struct{}) {
	gate := make(chan struct{})
	return &diary{during: func(line string) {
		if len(line) > 6 && line[:6] == "update" {
			<-gate
		}
	}}, gate
}

func TestASlowHandlerHearsTheNewestOfEachKeyAndDelaysNobody(t *testing.T) {
	s := newStage(pod("ns", "a", "1"), pod("ns", "b", "1"), pod("ns", "c", "1"))
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		slow, gate := stuck()
		fast := &diary{}
		listen(t, i, slow, HandlerOptions{MaxWaiting: 10})
		listen(t, i, fast, HandlerOptions{})
		slow.read()
		fast.read()
		for version := 2; version <= 100; version++ {
			s.current().Modify(pod("ns", "a", strconv.Itoa(version)))
			synctest.Wait()
		}
		s.current().Modify(pod("ns", "b", "101"))
		s.current().Delete(pod("ns", "c", "102"))
		s.current().Delete(pod("ns", "b", "103"))
		s.current().Add(pod("ns", "b", "104"))
		synctest.Wait()
		wantEqual(t, "the fast one heard", len(fast.read()), 103)
		state := StateOf(i).Handlers[0]
		wantEqual(t, "coalescing", state.Coalescing, true)
		wantEqual(t, "waiting", state.Waiting, 3)
		wantEqual(t, "coalesced", state.Coalesced, uint64(97+2)) // a 98 times into one, b three times
		wantEqual(t, "since", time.Since(state.Oldest) < time.Second && !state.Oldest.IsZero(), true)
		wantEqual(t, "busy", state.Busy.IsZero(), false)
		close(gate)
		synctest.Wait()
		wantEqual(t, "the slow one heard", slow.read(),
			[]string{"update a@1 to a@2", "update a@2 to a@100", "delete b@103", "add b@104", "delete c@102"})
		s.current().Modify(pod("ns", "b", "105"))
		synctest.Wait()
		wantEqual(t, "afterwards", slow.read(), []string{"update b@104 to b@105"})
		state = StateOf(i).Handlers[0]
		wantEqual(t, "coalescing", state.Coalescing, false)
		wantEqual(t, "waiting", state.Waiting, 0)
	})
}

func TestAHandlerThatWantsEverythingHearsEverything(t *testing.T) {
	s := newStage(pod("ns", "a", "1"))
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		slow, gate := stuck()
		listen(t, i, slow, HandlerOptions{MaxWaiting: -1})
		const updates = 5000
		for version := 2; version < updates+2; version++ {
			s.current().Modify(pod("ns", "a", strconv.Itoa(version)))
		}
		synctest.Wait()
		wantEqual(t, "waiting", StateOf(i).Handlers[0].Waiting, updates-1)
		close(gate)
		synctest.Wait()
		wantEqual(t, "heard", len(slow.read()), 1+updates)
	})
}

func TestASlowHandlerStillSyncs(t *testing.T) {
	var pods []*corev1.Pod
	for n := range 100 {
		pods = append(pods, pod("ns", fmt.Sprint(n), "1"))
	}
	s := newStage(pods...)
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		d := &diary{during: func(string) { <-gate }}
		i := newStoredInformer(s.lw(), &corev1.Pod{}, SharedIndexInformerOptions{})
		r, err := i.AddEventHandlerWithOptions(d, HandlerOptions{MaxWaiting: 5})
		mustNot(t, err)
		run(t, i)
		for version := 2; version < 20; version++ {
			s.current().Modify(pod("ns", "0", strconv.Itoa(version)))
			synctest.Wait()
		}
		wantEqual(t, "coalescing", StateOf(i).Handlers[0].Coalescing, true)
		wantEqual(t, "waiting", StateOf(i).Handlers[0].Waiting, 100)
		for range 99 {
			gate <- struct{}{}
			synctest.Wait()
			if r.HasSynced() {
				t.Fatal("synced before all was handled")
			}
		}
		gate <- struct{}{}
		synctest.Wait()
		wantEqual(t, "synced before the update was handled", r.HasSynced(), true)
		close(gate)
		synctest.Wait()
		lines := d.read()
		wantEqual(t, "last", lines[len(lines)-1], "update 0@1 to 0@19")
	})
}

func TestAPanicOfAHandlerConcernsOneNotification(t *testing.T) {
	for name, c := range map[string]struct {
		policy PanicPolicy
		calls  int32
		panics uint64
		took   time.Duration
	}{
		"skip":  {PanicSkip, 1, 1, 0},
		"retry": {PanicRetry, 3, 3, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(pod("ns", "a", "1"))
			inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
				var calls atomic.Int32
				d := &diary{during: func(line string) {
					if line == "initially a@1" {
						calls.Add(1)
						panic("boom")
					}
				}}
				other := &diary{}
				began := time.Now()
				listen(t, i, other, HandlerOptions{})
				listen(t, i, d, HandlerOptions{OnPanic: c.policy})
				s.current().Add(pod("ns", "b", "2"))
				synctest.Wait()
				wantEqual(t, "the other", other.read(), []string{"initially a@1", "add b@2"})
				for len(d.read()) == 0 || StateOf(i).Handlers[1].Waiting > 0 {
					time.Sleep(time.Second)
				}
				wantEqual(t, "calls", calls.Load(), c.calls)
				state := StateOf(i).Handlers[1]
				wantEqual(t, "panics", state.Panics, c.panics)
				wantError(t, fmt.Errorf("%s", state.LastPanic), `panicked on "ns/a": boom`)
				if took := time.Since(began); took < c.took {
					t.Errorf("it took %v, want at least %v", took, c.took)
				}
			})
		})
	}
}

func TestAHandlerThatEndsItsGoroutineIsGone(t *testing.T) {
	s := newStage(pod("ns", "a", "1"))
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		d := &diary{during: func(string) { runtimeGoexit() }}
		other := &diary{}
		r := listen(t, i, d, HandlerOptions{})
		listen(t, i, other, HandlerOptions{MaxWaiting: -1})
		for version := range 5000 {
			s.current().Modify(pod("ns", "a", strconv.Itoa(version+2)))
		}
		synctest.Wait()
		wantEqual(t, "heard", len(d.read()), 1)
		wantEqual(t, "the other", len(other.read()), 5001)
		mustNot(t, ShutDownEventHandler(i, r))
	})
}

func TestAHandlerThatBlocksForEverHoldsUpOnlyTheEnd(t *testing.T) {
	s := newStage(pod("ns", "a", "1"))
	synctest.Test(t, func(t *testing.T) {
		i := newStoredInformer(s.lw(), &corev1.Pod{}, SharedIndexInformerOptions{})
		gate := make(chan struct{})
		_, err := i.AddEventHandler(&diary{during: func(string) { <-gate }})
		mustNot(t, err)
		other := &diary{}
		_, err = i.AddEventHandler(other)
		mustNot(t, err)
		stop, ended := make(chan struct{}), make(chan struct{})
		go func() { defer close(ended); i.Run(stop) }()
		synctest.Wait()
		wantEqual(t, "the other", other.read(), []string{"initially a@1"})
		close(stop)
		time.Sleep(time.Hour)
		select {
		case <-ended:
			t.Error("Run returned while a handler was running")
		default:
		}
		close(gate)
		<-ended
	})
}
