package cache

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// addCounter is a MutationDetector that counts.
type addCounter struct{ n atomic.Int64 }

func (d *addCounter) AddObject(any)            { d.n.Add(1) }
func (d *addCounter) Run(stop <-chan struct{}) { <-stop }

// A list that brings nothing new calls neither index functions nor the mutation detector.
func TestAListThatBringsNothingNewIsNotIndexed(t *testing.T) {
	s := newStage(uid("a", "1", "u"), uid("b", "1", "v"))
	d := &addCounter{}
	var indexed atomic.Int64
	index := func(any) ([]string, error) {
		indexed.Add(1)
		return nil, nil
	}
	options := SharedIndexInformerOptions{MutationDetector: d, Indexers: Indexers{"x": index}}
	inBubble(t, s, options, func(t *testing.T, i *informer) {
		for range 3 {
			s.relist()
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		wantEqual(t, "lists", s.lists, 4)
		wantEqual(t, "objects shown to the detector", d.n.Load(), int64(2))
		wantEqual(t, "calls of the index function", indexed.Load(), int64(2))
	})
}
