package queue

import "vedette.dev/bench/harness"

// retry sends few keys round and round through the rate limiter, as a controller does whose
// objects change all the time.
type retry struct {
	queue  retryQueue
	rounds int
	keys   []string
	hands  []hand
	tally  *tally
	crew   crew
}

func newRetry(q retryQueue, c harness.Config) *retry {
	const keys = 1000
	rounds := c.Size(1_000_000, 2*keys)
	return &retry{
		queue:  q,
		rounds: rounds,
		keys:   makeKeys(keys),
		hands:  make([]hand, keys),
		tally:  newTally(keys, rounds),
	}
}

func (r *retry) Ops() int { return r.rounds }

func (r *retry) Run() {
	r.crew.start(2, r.queue, r.handle)
	for _, key := range r.keys {
		r.queue.Add(key)
	}
	<-r.tally.all
}

func (r *retry) handle(_ int, key string) {
	i := indexOf(key)
	r.hands[i].take()
	r.queue.Forget(key) // so the delay stays at its base
	r.hands[i].release()
	r.queue.Done(key)
	// Each key stands for one of the hand-outs still to come, so the last of them are not
	// added again, and the total comes out exactly.
	if r.tally.note(i) >= int64(len(r.keys)) {
		r.queue.AddRateLimited(key)
	}
}

func (r *retry) Finish() (harness.Sample, error) {
	r.crew.dismiss(r.queue)
	for i := range r.hands {
		if err := r.hands[i].check(i); err != nil {
			return nil, err
		}
	}
	return nil, r.tally.exactly(r.rounds)
}
