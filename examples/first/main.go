package main

import (
	"errors"
	"fmt"
	"sync"

	"vedette.dev/workqueue"
)

func main() {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	for _, key := range []string{"default/web", "default/db", "default/web"} {
		queue.Add(key) // the second "default/web" merges with the first
	}

	var settled, workers sync.WaitGroup
	settled.Add(2)
	for range 3 {
		workers.Go(func() {
			for {
				key, shutdown := queue.Get() // one worker a key, always
				if shutdown {
					return
				}
				if err := reconcile(key, queue.NumRequeues(key)+1); err != nil {
					fmt.Println(key, "will be tried again:", err)
					queue.AddRateLimited(key) // later and later
				} else {
					queue.Forget(key)
					settled.Done()
				}
				queue.Done(key)
			}
		})
	}

	settled.Wait()
	queue.ShutDown()
	workers.Wait()
}

func reconcile(key string, attempt int) error {
	if key == "default/db" && attempt < 3 {
		return errors.New("not ready")
	}
	fmt.Println(key, "is as it should be, at attempt", attempt)
	return nil
}
