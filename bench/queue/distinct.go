package queue

import "vedette.dev/bench/harness"

// distinct sends many different keys through a queue once.
type distinct struct {
	queue     workQueue
	producers int
	workers   int
	keys      []string
	tally     *tally
	crew      crew
}

func newDistinct(q workQueue, c harness.Config, width int) *distinct {
	n := c.Size(1_000_000, 1000)
	return &distinct{
		queue:     q,
		producers: width,
		workers:   width,
		keys:      makeKeys(n),
		tally:     newTally(n, n),
	}
}

func (d *distinct) Ops() int { return len(d.keys) }

func (d *distinct) Run() {
	d.crew.start(d.workers, d.queue, func(_ int, key string) {
		d.queue.Done(key)
		d.tally.note(indexOf(key))
	})
	produce(d.producers, func(p int) {
		for _, key := range d.part(p) {
			d.queue.Add(key)
		}
	})
	<-d.tally.all
}

// part is the share of the keys that producer p adds.
func (d *distinct) part(p int) []string {
	n := len(d.keys)
	return d.keys[p*n/d.producers : (p+1)*n/d.producers]
}

func (d *distinct) Finish() (harness.Sample, error) {
	d.crew.dismiss(d.queue)
	return nil, d.tally.once()
}
