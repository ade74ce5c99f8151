package controller

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"vedette.dev/workqueue"
)

func TestWhatIsInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &script{do: func(_ context.Context, key string, _ int) (Result, error) {
			switch key {
			case "stuck":
				<-release
			case "bad":
				return Result{}, errors.New("no")
			}
			return Result{}, nil
		}}
		r := start(t, s, func(c *Config[string]) {
			c.RateLimiter = workqueue.NewTypedItemFastSlowRateLimiter[string](time.Hour, time.Hour, 1)
		})
		for _, key := range []string{"bad", "stuck", "first", "second"} {
			r.keys <- key
			synctest.Wait()
			time.Sleep(time.Second)
		}
		got := r.QueueSnapshot(1)
		if got.QueuedCount != 2 || len(got.Queued) != 1 || got.Queued[0].Key != "first" || time.Since(got.Queued[0].QueuedSince) != 2*time.Second {
			t.Errorf("queued: %d, %+v", got.QueuedCount, got.Queued)
		}
		if got.ProcessingCount != 1 || got.Processing[0].Key != "stuck" || time.Since(got.Processing[0].ProcessingSince) != 3*time.Second {
			t.Errorf("in hand: %d, %+v", got.ProcessingCount, got.Processing)
		}
		if got.WaitingCount != 1 || got.Waiting[0].Key != "bad" || got.Waiting[0].Retries != 1 || time.Until(got.Waiting[0].Due) < 59*time.Minute {
			t.Errorf("delayed: %d, %+v", got.WaitingCount, got.Waiting)
		}
		if all := r.QueueSnapshot(0); len(all.Queued) != 2 {
			t.Errorf("all of them: %+v", all.Queued)
		}
		close(release)
		if err := r.end(); err != nil {
			t.Error(err)
		}
		if !r.QueueSnapshot(1).ShuttingDown {
			t.Error("the queue is not shut down with the controller")
		}
	})
}

// plain is a queue that has nothing to tell but its length.
type plain struct {
	workqueue.TypedRateLimitingInterface[string]
}

func TestAQueueThatCannotBeLookedInto(t *testing.T) {
	queue := plain{workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedItemBasedRateLimiter[string]())}
	defer queue.ShutDown()
	c, err := New(Config[string]{Name: "plain", Queue: queue, Reconcile: func(context.Context, string) (Result, error) { return Result{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	queue.Add("a")
	if got := c.QueueSnapshot(10); got.QueuedCount != 1 || got.Queued != nil {
		t.Errorf("got %+v", got)
	}
}
