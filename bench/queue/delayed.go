package queue

import (
	"maps"
	"math/rand/v2"
	"time"

	"vedette.dev/bench/harness"
)

// intake is the producer's own time for one AddAfter, without the delays that follow.
const intake = "intake"

// paceStep is the interval at which a paced producer adds its share. Sleeping for each key
// would measure the system's timers.
const paceStep = time.Millisecond

const delayedWorkers = 2

// delayed adds distinct keys with delays up to a window, and two workers drain them.
type delayed struct {
	queue    retryQueue
	keys     []string
	delays   []time.Duration
	perStep  int // keys to add every paceStep; 0 adds without a pause
	lateness *lateness
	intake   time.Duration
	crew     crew
}

func newDelayed(q retryQueue, c harness.Config, keys, perStep int) *delayed {
	d := &delayed{
		queue:    q,
		keys:     makeKeys(keys),
		delays:   make([]time.Duration, keys),
		perStep:  perStep,
		lateness: newLateness(keys, delayedWorkers),
	}
	window := c.Window(time.Second, 20*time.Millisecond)
	random := rand.New(rand.NewPCG(1, 2)) // the same delays on each side and in each run
	for i := range d.delays {
		d.delays[i] = time.Duration(random.Int64N(int64(window)))
	}
	return d
}

func newBurst(q retryQueue, c harness.Config) *delayed {
	return newDelayed(q, c, c.Size(1_000_000, 1000), 0)
}

func newSteady(q retryQueue, c harness.Config) *delayed {
	const perSecond = 50_000
	return newDelayed(q, c, c.Size(3*perSecond, 1000), perSecond/int(time.Second/paceStep))
}

func (d *delayed) Ops() int { return len(d.keys) }

func (d *delayed) Run() {
	d.lateness.start = time.Now()
	d.crew.start(delayedWorkers, d.queue, func(worker int, key string) {
		d.lateness.arrive(worker, indexOf(key))
		d.queue.Done(key)
	})
	for i, key := range d.keys {
		d.pause(i)
		d.lateness.promise(i, d.delays[i])
		d.queue.AddAfter(key, d.delays[i])
	}
	d.intake = time.Since(d.lateness.start)
	d.lateness.wait()
}

// pause waits, before the first key of a step, until that step begins. A producer that fell
// behind does not wait, and so catches up.
func (d *delayed) pause(key int) {
	if d.perStep > 0 && key%d.perStep == 0 {
		time.Sleep(time.Until(d.lateness.start.Add(time.Duration(key/d.perStep) * paceStep)))
	}
}

func (d *delayed) Finish() (harness.Sample, error) {
	d.crew.dismiss(d.queue)
	s := harness.Sample{intake: float64(d.intake) / float64(d.Ops())}
	late, err := d.lateness.sample()
	maps.Copy(s, late)
	return s, err
}
