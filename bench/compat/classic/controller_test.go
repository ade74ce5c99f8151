package classic

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		failures := map[string]int{"default/flaky": 2, "default/broken": 1000}
		c := NewController(func(key string) error {
			mu.Lock()
			defer mu.Unlock()
			if failures[key] == 0 {
				return nil
			}
			failures[key]--
			return errors.New("not today")
		})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		c.queue.AddAfter("default/later", time.Second)
		c.queue.Add(42) // nobody's key
		c.Run(ctx, 3, []string{"default/a", "default/b", "default/flaky", "default/broken", "default/a"})

		want := map[string]int{"default/a": 1, "default/b": 1, "default/flaky": 1, "default/later": 1}
		if !maps.Equal(c.synced, want) {
			t.Errorf("synced %v, want %v", c.synced, want)
		}
		if want := []string{"default/broken: not today"}; !slices.Equal(c.dropped, want) {
			t.Errorf("dropped %q, want %q", c.dropped, want)
		}
		if tries := 1000 - failures["default/broken"]; tries != maxRetries+1 {
			t.Errorf("the broken key was tried %d times, want %d", tries, maxRetries+1)
		}
	})
}

func TestOtherQueues(t *testing.T) {
	for i, q := range queues() {
		q.Add("key")
		q.Add("key")
		if n := q.Len(); n != 1 {
			t.Errorf("queue %d: length %d, want 1", i, n)
		}
		item, shutdown := q.Get()
		if item != "key" || shutdown {
			t.Errorf("queue %d: got %v, %v", i, item, shutdown)
		}
		q.Done(item)
		q.ShutDown()
		if _, shutdown := q.Get(); !shutdown || !q.ShuttingDown() {
			t.Errorf("queue %d: not shut down", i)
		}
	}
}
