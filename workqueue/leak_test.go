package workqueue

import (
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	testingclock "k8s.io/utils/clock/testing"
)

// Client-go leaves a goroutine behind for ten seconds after a drain. Goleak looks for less than a second, so what is
// merely on its way out when ShutDown returns is forgiven.
func TestNoGoroutineIsLeftAfterShutDown(t *testing.T) {
	setups := map[string]func() setup{
		"real clock": func() setup { return setup{} },
		"metrics":    func() setup { return setup{name: "q", provider: newRecorder()} },
		"fake clock": func() setup {
			return setup{name: "q", provider: newRecorder(), clock: testingclock.NewFakeClock(time.Now())}
		},
	}
	ends := map[string]func(TypedInterface[string]){
		"ShutDown": TypedInterface[string].ShutDown, "ShutDownWithDrain": TypedInterface[string].ShutDownWithDrain,
	}
	for _, k := range queueKinds {
		for what, s := range setups {
			for how, end := range ends {
				t.Run(k.name+"/"+what+"/"+how, func(t *testing.T) {
					before := goleak.IgnoreCurrent()
					q := k.make(s())
					keepBusy(q)
					end(q)
					if err := goleak.Find(before); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// keepBusy makes a queue use all of its timers.
func keepBusy(q TypedInterface[string]) {
	q.Add("a")
	q.Get()
	q.Done("a")
	if d, ok := q.(TypedDelayingInterface[string]); ok {
		d.AddAfter("b", time.Hour)
		d.AddAfter("c", time.Minute)
	}
	if l, ok := q.(TypedRateLimitingInterface[string]); ok {
		l.AddRateLimited("d")
	}
}

func TestFakeClockDrivesADelayingQueue(t *testing.T) {
	for _, k := range queueKinds[2:] {
		synctest.Test(t, func(t *testing.T) {
			clock := testingclock.NewFakeClock(time.Now())
			q := k.make(setup{clock: clock}).(TypedDelayingInterface[string])
			at := arrivals(q)
			q.AddAfter("a", time.Minute)
			q.AddAfter("b", 2*time.Minute)
			q.AddAfter("a", 3*time.Minute)
			time.Sleep(time.Hour) // another clock's business
			for _, want := range []int{0, 1, 2} {
				if synctest.Wait(); len(at) != want {
					t.Errorf("%s: %d keys came, want %d", k.name, len(at), want)
				}
				clock.Step(time.Minute)
				synctest.Wait()
				clock.Step(0)
			}
			synctest.Wait()
			if due := len(at); due != 2 {
				t.Errorf("%s: %d keys came, want 2", k.name, due)
			}
			q.ShutDown()
			if clock.HasWaiters() {
				t.Errorf("%s: a timer is left", k.name)
			}
		})
	}
}

func TestFakeClockDrivesTheMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, r := testingclock.NewFakeClock(time.Now()), newRecorder()
		q := NewTypedWithConfig(TypedQueueConfig[string]{Name: "q", MetricsProvider: r, Clock: clock})
		q.Add("a")
		clock.Step(time.Second)
		synctest.Wait()
		expect(t, q, "a")
		clock.Step(3 * time.Second)
		synctest.Wait()
		r.expect(t, "q latency", 1)
		r.expect(t, "q unfinished", 3)
		q.Done("a")
		r.expect(t, "q work", 3)
		q.ShutDown()
	})
}
