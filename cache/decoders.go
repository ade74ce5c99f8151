package cache

import (
	"runtime"
	"sync"
)

// decoders decode the objects of a list on several processors, beside the goroutine that reads the list. Each goroutine takes a bundle at
// a time: one for each object would have to grow its stack for each.
type decoders struct {
	work   *sync.WaitGroup // of the informer, which waits for it when it ends
	slots  chan struct{}   // has room for as many as may decode at the same time
	all    sync.WaitGroup
	bundle []func()
}

const bundleSize = 128

// newDecoders returns nil if there is one processor only: then the goroutine that reads decodes.
func newDecoders(work *sync.WaitGroup) *decoders {
	n := runtime.GOMAXPROCS(0)
	if n < 2 || work == nil {
		return nil
	}
	return &decoders{work: work, slots: make(chan struct{}, n)}
}

// do has a function called soon. It waits while all processors are busy.
func (d *decoders) do(decode func()) {
	d.bundle = append(d.bundle, decode)
	if len(d.bundle) < bundleSize {
		return
	}
	bundle := d.bundle
	d.bundle = make([]func(), 0, bundleSize)
	d.slots <- struct{}{}
	d.all.Add(1)
	d.work.Go(func() {
		defer func() {
			<-d.slots
			d.all.Done()
		}()
		for _, decode := range bundle {
			decode()
		}
	})
}

// wait returns when everything is decoded.
func (d *decoders) wait() {
	for _, decode := range d.bundle {
		decode()
	}
	d.bundle = d.bundle[:0]
	d.all.Wait()
}
