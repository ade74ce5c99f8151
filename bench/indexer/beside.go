package indexer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vedette.dev/bench/harness"
)

// The figures of calls that happen beside others.
const (
	p50Read  = "p50 of a read"
	p99Read  = "p99 of a read"
	p99Write = "p99 of a write"
	perWrite = "time for a write" // how far apart they were, so that both sides can be seen to have had the same load
)

// beside is readers and one writer on the same store. Each reader makes a fixed number of reads; the writer goes on until
// they are done.
type beside struct {
	store   store
	objects *objects
	state   []uint8
	readers [][]time.Duration // what each read took
	writes  []time.Duration
	written int
	took    time.Duration
	rate    int // writes a second; zero means as fast as it goes
	read    func(b *beside, r *rand.Rand, i int) error
	err     atomic.Pointer[error]
}

func newBeside(readers, reads, rate int, read func(*beside, *rand.Rand, int) error) func(harness.Config) (harness.Trial, error) {
	return func(c harness.Config) (harness.Trial, error) {
		b := &beside{objects: newObjects(c.Size(count, smallCount)), rate: rate, read: read}
		b.state = make([]uint8, len(b.objects.keys))
		for range readers {
			b.readers = append(b.readers, make([]time.Duration, c.Size(reads, 10)))
		}
		b.writes = make([]time.Duration, 0, 1<<20)
		var err error
		b.store, err = filled(c.Side, b.objects)
		return b, err
	}
}

func (b *beside) Ops() int { return len(b.readers) * len(b.readers[0]) }

func (b *beside) Run() {
	var readers, writer sync.WaitGroup
	var stop atomic.Bool
	start := time.Now()
	writer.Go(func() { b.write(&stop) })
	for i, took := range b.readers {
		readers.Go(func() { b.readAll(rand.New(rand.NewPCG(uint64(i), 0)), took) })
	}
	readers.Wait()
	b.took = time.Since(start)
	stop.Store(true)
	writer.Wait()
}

func (b *beside) readAll(r *rand.Rand, took []time.Duration) {
	for i := range took {
		start := time.Now()
		if err := b.read(b, r, i); err != nil {
			b.err.Store(&err)
			return
		}
		took[i] = time.Since(start)
	}
}

// write updates objects at the given rate, always at least one. If it falls behind, it does not wait until it has caught
// up.
func (b *beside) write(stop *atomic.Bool) {
	r := rand.New(rand.NewPCG(1, 1))
	start := time.Now()
	for !stop.Load() || b.written == 0 {
		if b.rate > 0 && b.written >= int(time.Since(start).Seconds()*float64(b.rate))+1 {
			time.Sleep(50 * time.Microsecond)
			continue
		}
		i := r.IntN(len(b.objects.keys))
		b.state[i] ^= 1
		before := time.Now()
		if err := b.store.Update(b.objects.states[b.state[i]][i]); err != nil {
			b.err.Store(&err)
			return
		}
		if len(b.writes) < cap(b.writes) {
			b.writes = append(b.writes, time.Since(before))
		}
		b.written++
	}
}

func (b *beside) Finish() (harness.Sample, error) {
	if err := b.err.Load(); err != nil {
		return nil, *err
	}
	reads := slices.Concat(b.readers...)
	slices.Sort(reads)
	slices.Sort(b.writes)
	return harness.Sample{
		p50Read:  float64(percentile(reads, 0.50)),
		p99Read:  float64(percentile(reads, 0.99)),
		p99Write: float64(percentile(b.writes, 0.99)),
		perWrite: float64(b.took) / float64(b.written),
	}, b.objects.check(b.store, b.state)
}

// percentile is the smallest value that the given share of the sorted values does not exceed.
func percentile(sorted []time.Duration, share float64) time.Duration {
	rank := int(math.Ceil(share * float64(len(sorted))))
	return sorted[max(0, rank-1)]
}

func readOne(b *beside, r *rand.Rand, _ int) error {
	key := b.objects.keys[r.IntN(len(b.objects.keys))]
	if _, exists, err := b.store.GetByKey(key); err != nil || !exists {
		return fmt.Errorf("object %s: %v, %v", key, exists, err)
	}
	return nil
}

// readMix is a List in a thousand reads, a ByIndex in ten, and Gets.
func readMix(b *beside, r *rand.Rand, i int) error {
	switch {
	case i%1000 == 999:
		return readAll(b)
	case i%10 == 9:
		return readNamespace(b, r)
	default:
		return readOne(b, r, i)
	}
}

// readMuch takes turns between List and ByIndex.
func readMuch(b *beside, r *rand.Rand, i int) error {
	if i%2 == 0 {
		return readAll(b)
	}
	return readNamespace(b, r)
}

func readAll(b *beside) error {
	if n := len(b.store.List()); n != len(b.objects.keys) {
		return fmt.Errorf("%d objects in the list, want %d", n, len(b.objects.keys))
	}
	return nil
}

func readNamespace(b *beside, r *rand.Rand) error {
	name := namespaceOf(r.IntN(len(b.objects.keys)), len(b.objects.keys))
	if list, err := b.store.ByIndex(namespaceIndex, name); err != nil || len(list) == 0 {
		return fmt.Errorf("namespace %s: %d objects, %v", name, len(list), err)
	}
	return nil
}
