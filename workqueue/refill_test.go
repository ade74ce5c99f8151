package workqueue

import (
	"testing"
	"testing/synctest"
)

// TestNothingIsMissedWhileAWorkerLooks: a worker that finds no key lets go of the lock to look for delayed ones. What
// happens in that moment must not be slept through.
func TestNothingIsMissedWhileAWorkerLooks(t *testing.T) {
	for name, meanwhile := range map[string]func(*Typed[string]){
		"add":       func(q *Typed[string]) { q.Add("a") },
		"shut down": func(q *Typed[string]) { q.ShutDown() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := NewTyped[string]()
				q.refill = func(int64) bool {
					meanwhile(q)
					return false
				}
				got := make(chan string, 1)
				go func() {
					item, _ := q.Get()
					got <- item
				}()
				synctest.Wait()
				select {
				case item := <-got:
					if want := map[string]string{"add": "a"}[name]; item != want {
						t.Fatalf("Get gives %q, want %q", item, want)
					}
				default:
					t.Error("the worker sleeps")
				}
				q.ShutDown()
			})
		})
	}
}
