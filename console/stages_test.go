//go:build !vedette_noconsole

package console

import (
	"errors"
	"strings"
	"testing"
	"time"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/workqueue"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func before(d time.Duration) time.Time { return noon.Add(-d) }

// well is an informer with which all is well, that heard 100 events in the last ten seconds.
func well() (now, old informerReading) {
	old = informerReading{name: "pods", state: cache.State{
		Type: "*v1.Pod", Phase: cache.PhaseWatching, Since: before(time.Hour), Synced: true, LastEvent: before(10 * time.Second),
		Objects: 7, Events: 1000, Handlers: []cache.HandlerState{{Number: 1, Handler: "*main.handler", Handled: 1000}},
	}}
	now = old
	now.state.Events, now.state.LastEvent = 1100, before(time.Second)
	now.state.Lags = cache.Lags{Batches: 10, Total: 50 * time.Millisecond}
	now.state.Handlers = []cache.HandlerState{{Number: 1, Handler: "*main.handler", Handled: 1100}}
	return now, old
}

func TestStagesOfAnInformer(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(s *cache.State)
		stage  string
		level  level
		says   string
	}{
		{"all is well", func(*cache.State) {}, "server", levelOK, ""},
		{"nothing happens", func(s *cache.State) { s.Events = 1000 }, "server", levelIdle, ""},
		{"not started", func(s *cache.State) { s.Phase = cache.PhaseIdle }, "reflector", levelOff, ""},
		{"first list", func(s *cache.State) { s.Phase, s.Synced = cache.PhaseListing, false }, "store", levelBusy, ""},
		{"refused", func(s *cache.State) {
			s.Phase, s.Until, s.Cause, s.Failing, s.Failures = cache.PhaseBackingOff, noon.Add(3*time.Second), errors.New("pods is forbidden"), before(time.Minute), 4
		}, "server", levelFailing, "pods is forbidden (4 tries failed, for 1 min 0 s)"},
		{"backing off", func(s *cache.State) { s.Phase, s.Until = cache.PhaseBackingOff, noon.Add(3*time.Second) }, "reflector", levelSlow, "in 3 s"},
		{"cut and well again", func(s *cache.State) { s.Cause, s.Failures = errors.New("cut"), 1 }, "server", levelSlow, "cut (1 try failed"},
		{"silence", func(s *cache.State) { s.LastEvent = before(5 * time.Minute) }, "server", levelSlow, "no event for"},
		{"undecodable", func(s *cache.State) {
			s.Undecodable, s.LastUndecodable = 1, &cache.UndecodableError{Key: "a/b", Err: errors.New("bad")}
		}, "reflector", levelSlow, `"a/b"`},
		{"pending", func(s *cache.State) { s.Pending, s.PendingSince = 5, before(2*time.Second) }, "queue", levelSlow, "5 changes pending for the store, the oldest for 2 s"},
		{"pending long", func(s *cache.State) { s.Pending, s.PendingSince = 5, before(time.Minute) }, "queue", levelFailing, "5 changes"},
		{"index errors", func(s *cache.State) { s.IndexErrors, s.LastIndexError = 2, errors.New("no label") }, "store", levelSlow, "no label"},
		{"slow handler", func(s *cache.State) { s.Handlers[0].Busy = before(2 * time.Second) }, "handlers", levelSlow, "handler 1 (main.handler) is slow: a call has run for 2 s"},
		{"stalled handler", func(s *cache.State) {
			s.Handlers[0].Busy, s.Handlers[0].Waiting, s.Handlers[0].Coalescing = before(12*time.Second), 2048, true
		}, "handlers", levelFailing, "handler 1 (main.handler) is stalled: a call has not returned for 12 s; 2,048 notifications wait for it, coalesced by key"},
		{"behind", func(s *cache.State) { s.Handlers[0].Waiting, s.Handlers[0].Oldest = 1, before(3*time.Second) }, "handlers", levelSlow, "behind by 3 s; 1 notification waits"},
		{"panics", func(s *cache.State) { s.Handlers[0].Panics, s.Handlers[0].LastPanic = 1, "nil map" }, "handlers", levelFailing, "panicked (1 time so far); last panic: nil map"},
	} {
		t.Run(c.name, func(t *testing.T) {
			now, old := well()
			c.change(&now.state)
			l := informerLane(&now, &old, noon, 10*time.Second)
			l.settle()
			for _, s := range l.Stages {
				if s.ID != c.stage {
					continue
				}
				if s.Level != c.level || !strings.Contains(s.Cause, c.says) || c.says == "" && s.Cause != "" {
					t.Errorf("%s is %s, because %q; want %s, %q", s.ID, s.Level.Word(), s.Cause, c.level.Word(), c.says)
				}
			}
			if found := problems([]lane{l}); c.level.IsProblem() != (len(found) > 0) {
				t.Errorf("problems: %+v", found)
			}
			if c.level.IsProblem() && l.Level < c.level {
				t.Errorf("the lane is %s", l.Level.Word())
			}
		})
	}
}

// Panics of long ago are no problem any more.
func TestOldErrorsAreOver(t *testing.T) {
	now, old := well()
	for _, r := range []*informerReading{&now, &old} {
		r.state.Handlers[0].Panics, r.state.IndexErrors, r.state.Skipped = 3, 3, 3
	}
	l := informerLane(&now, &old, noon, 10*time.Second)
	if found := problems([]lane{l}); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	if s := l.Stages[0]; s.Flow != 10 || s.Figure != "10" {
		t.Errorf("the server brings %+v", s)
	}
	first := informerLane(&now, nil, noon, 0)
	if first.Stages[0].Figure != "–" {
		t.Errorf("without an older reading the rate is %s", first.Stages[0].Figure)
	}
}

func TestStagesOfAController(t *testing.T) {
	busy := func(d time.Duration) []controller.Busy { return []controller.Busy{{Key: "a/b", Since: before(d)}} }
	for _, c := range []struct {
		name   string
		change func(w *workReading)
		stage  string
		level  level
		says   string
	}{
		{"well", func(*workReading) {}, "workers", levelOK, ""},
		{"idle", func(w *workReading) { w.state.Reconciles = 100 }, "workers", levelIdle, ""},
		{"not running", func(w *workReading) { w.state.Phase = controller.PhaseIdle }, "workers", levelOff, ""},
		{"syncing", func(w *workReading) {
			w.state.Phase, w.state.NotReady = controller.PhaseSyncing, []string{"for v1.Pod"}
		}, "workers", levelBusy, "for v1.Pod"},
		{"ended", func(w *workReading) {
			w.state.Phase, w.state.Result = controller.PhaseStopped, errors.New("a source failed")
		}, "workers", levelFailing, "a source failed"},
		{"long", func(w *workReading) { w.state.Busy = busy(20 * time.Second) }, "workers", levelSlow, "a worker has been reconciling a/b for 20 s"},
		{"long, of a worker with a number", func(w *workReading) {
			w.state.Busy = busy(20 * time.Second)
			w.state.Busy[0].Worker = 3
		}, "workers", levelSlow, "worker 3 has been reconciling a/b for 20 s"},
		{"all busy", func(w *workReading) { w.state.Workers, w.state.Busy = 1, busy(2*time.Minute) }, "workers", levelFailing, "all workers are busy (1), the longest with a/b"},
		{"some fail", func(w *workReading) { w.state.Failures = 20 }, "workers", levelSlow, "20 of 100 reconciles failed in the last 10 s"},
		{"most fail", func(w *workReading) { w.state.Failures = 60 }, "workers", levelFailing, "60 of 100"},
		{"queue", func(w *workReading) { w.depth, w.oldest = 3, before(9*time.Second) }, "workqueue", levelSlow, "3 keys wait for a worker, the oldest for 9 s"},
		{"queue, long", func(w *workReading) { w.depth, w.oldest = 1, before(2*time.Minute) }, "workqueue", levelFailing, "1 key waits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := workReading{name: "pods", controller: true, known: true, state: controller.State{Phase: controller.PhaseRunning, Workers: 4, Reconciles: 100}}
			now := old
			now.state.Reconciles = 200
			c.change(&now)
			for _, s := range workTail(&now, &old, noon, 10*time.Second).Stages {
				if s.ID == c.stage && (s.Level != c.level || !strings.Contains(s.Cause, c.says)) {
					t.Errorf("%s is %s, because %q; want %s, %q", s.ID, s.Level.Word(), s.Cause, c.level.Word(), c.says)
				}
			}
		})
	}
}

// What is known of a queue alone is shown, too; a queue of another make tells its length.
func TestAQueueAlone(t *testing.T) {
	queue := workqueue.NewTyped[int]()
	defer queue.ShutDown()
	queue.Add(7)
	other := struct{ workqueue.TypedInterface[int] }{queue}
	page := Handler(Config{Queues: []Queue{QueueOf[int]("numbers", queue), QueueOf[int]("others", other)}})
	want(t, page, "queues", "numbers", ">7<", "others", "Queued <b>1</b>")
	want(t, page, "", "fed by handlers of the program", "queue numbers")
}

func TestWords(t *testing.T) {
	for want, got := range map[string]string{
		"1,234,567": count(1234567), "-1,000": count(-1000), "0": count(0), "999": count(uint64(999)),
		"–": rate(-1), "0.5": rate(0.5), "3": rate(3), "1,235": rate(1234.6),
		"12 B": size(12), "1.5 KB": size(1500), "2 MB": size(2e6), "3.25 GB": size(3.25e9),
		"250 µs": span(250 * time.Microsecond), "2.5 ms": span(2500 * time.Microsecond), "40 ms": span(40 * time.Millisecond), "3 s": span(3 * time.Second),
		"59 s": span(59 * time.Second), "2 min 5 s": span(125 * time.Second), "3 h 1 min": span(181 * time.Minute), "3 days": span(80 * time.Hour),
		"never": ago(time.Time{}, noon), "now": until(noon, noon), "in 2 s": until(noon.Add(2*time.Second), noon),
		"v1.Pod": typeName("*v1.Pod"), "cache.untypedHandler[v1.Pod]": typeName("cache.untypedHandler[*k8s.io/api/core/v1.Pod]"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
