package workqueue_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"vedette.dev/workqueue"
)

// The loop that every controller has: take a key, work on it, and try again later if that failed.
func ExampleNewTypedRateLimitingQueue() {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Millisecond, time.Second)
	queue := workqueue.NewTypedRateLimitingQueue(limiter)

	attempts := 0
	reconcile := func(key string) error {
		if attempts++; attempts < 3 {
			return errors.New("not yet")
		}
		return nil
	}

	queue.Add("default/web")
	queue.Add("default/web") // coalesced with the first
	for {
		key, shutdown := queue.Get()
		if shutdown {
			break
		}
		if err := reconcile(key); err != nil {
			fmt.Printf("%s: %v, failure %d\n", key, err, queue.NumRequeues(key)+1)
			queue.AddRateLimited(key)
		} else {
			fmt.Printf("%s: done\n", key)
			queue.Forget(key)
			queue.ShutDown()
		}
		queue.Done(key)
	}
	// Output:
	// default/web: not yet, failure 1
	// default/web: not yet, failure 2
	// default/web: done
}

// Tenants take turns, so that a large one does not keep a small one waiting; an urgent key goes first.
func ExampleNewFair() {
	queue, err := workqueue.NewFair(workqueue.FairConfig[string]{
		Tenant: func(key string) string { namespace, _, _ := strings.Cut(key, "/"); return namespace },
	})
	if err != nil {
		panic(err)
	}
	for _, key := range []string{"big/1", "big/2", "big/3", "small/1"} {
		queue.Add(key)
	}
	urgent := 10
	queue.AddWithOpts(workqueue.AddOpts{Priority: &urgent}, "big/urgent")
	queue.ShutDown() // what waits is still handed out
	for {
		key, shutdown := queue.Get()
		if shutdown {
			return
		}
		fmt.Println(key)
		queue.Done(key)
	}
	// Output:
	// big/urgent
	// big/1
	// small/1
	// big/2
	// big/3
}

// Every queue can tell what is in it.
func ExampleTypedInspector() {
	queue := workqueue.NewTyped[string]()
	defer queue.ShutDown()
	queue.Add("a")
	queue.Add("b")
	key, _ := queue.Get()
	queue.Add(key)

	s := queue.Snapshot(10)
	fmt.Println(s.QueuedCount, "queued,", s.ProcessingCount, "processing")
	it, _ := queue.Find("a")
	fmt.Println(it.Key, "will run again:", !it.QueuedSince.IsZero())
	// Output:
	// 1 queued, 1 processing
	// a will run again: true
}
