package leaderelection

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var storms = flag.Uint64("storms", 6, "how many seeds TestNeverTwoThatWrite and TestNeverTwoThatWriteWhenTheLeaseIsDeleted try")

// Replicas in bad weather: requests are lost before and after they took effect, come late, and arrive when no caller waits for
// them any more; processes are stopped, suspended, cancelled and started anew; clocks are set. There are never two that write, and
// when the weather clears, one leads.
//
//	go test -run NeverTwo ./leaderelection -storms 500
func TestNeverTwoThatWrite(t *testing.T) {
	terms, writes := 0, 0
	for seed := range *storms {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, seed)
				w.storm(4 * time.Minute)
				w.clear()
				terms, writes = terms+len(w.order), writes+w.writes
			})
		})
	}
	t.Logf("%d terms, %d writes", terms, writes)
	if !t.Failed() && terms < 3*int(*storms) {
		t.Errorf("only %d terms: the weather was too good", terms)
	}
}

// The same, and the Lease is deleted again and again, also twice within one look of a replica, and replicas that start anew have
// forgotten what they saw. Numbers of terms may start again then, but there are never two that write.
func TestNeverTwoThatWriteWhenTheLeaseIsDeleted(t *testing.T) {
	terms, deleted := 0, 0
	for seed := range *storms {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, seed)
				w.deleting = true
				w.storm(8 * time.Minute)
				w.clear()
				terms, deleted = terms+len(w.order), deleted+w.deleted
			})
		})
	}
	t.Logf("%d terms, %d deletions", terms, deleted)
	if !t.Failed() && (terms < 3*int(*storms) || deleted < 10*int(*storms)) {
		t.Errorf("only %d terms and %d deletions", terms, deleted)
	}
}

// writer is who has written: a replica in one of its terms.
type writer struct {
	replica *replica
	ctx     context.Context
}

type world struct {
	*election
	rand     *rand.Rand // of the one goroutine that makes the weather
	replicas []*replica
	bad      map[*replica]*weather
	over     chan struct{} // closed at the end
	running  sync.WaitGroup
	// deleting says that the Lease is deleted now and then.
	deleting bool
	deleted  int

	mu     sync.Mutex
	order  []writer // the writers, in order; none returns
	writes int
}

// weather is what happens to the requests of a replica, and to itself.
type weather struct {
	mu      sync.Mutex
	rand    *rand.Rand
	storm   bool
	paused  bool
	resumed time.Time
	cancel  context.CancelFunc // of the Run that is under way
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{
		election: newElection(t), rand: rand.New(rand.NewPCG(seed, 0)), bad: map[*replica]*weather{}, over: make(chan struct{}),
	}
	for i := range 3 {
		var r *replica
		r = w.add(fmt.Sprintf("r%d", i), func(c *LeaderElectionConfig) {
			c.ReleaseOnCancel = w.rand.IntN(3) > 0
			c.Callbacks.OnStartedLeading = func(ctx context.Context) { w.work(r, ctx) }
		})
		r.clock.Inexact = w.rand.IntN(3) == 0
		weather := &weather{rand: rand.New(rand.NewPCG(seed, uint64(i)+1))}
		w.bad[r] = weather
		w.replicas = append(w.replicas, r)
		r.link.setFate(weather.fate)
	}
	for _, r := range w.replicas {
		w.running.Go(func() { w.live(r) })
	}
	t.Cleanup(func() {
		close(w.over)
		for _, weather := range w.bad {
			weather.stopRun()
		}
		w.running.Wait()
		for _, r := range w.replicas {
			r.link.pending.Wait()
		}
	})
	return w
}

// live runs the replica again and again.
func (w *world) live(r *replica) {
	for {
		ctx, cancel := context.WithCancel(context.Background())
		w.bad[r].setRun(cancel)
		select {
		case <-w.over:
			cancel()
			return
		default:
		}
		r.Run(ctx)
		cancel()
		r.sleep(context.Background(), time.Second)
		if w.deleting && w.bad[r].intN(2) == 0 {
			r.forget()
		}
	}
}

// forget makes the replica one that was just started.
func (r *replica) forget() {
	r.LeaderElector.mu.Lock()
	defer r.LeaderElector.mu.Unlock()
	r.seen, r.reported = sighting{}, ""
	r.claims, r.missing, r.unsure = nil, false, false
}

// work writes for as long as it may, and then takes some time to return.
func (w *world) work(r *replica, ctx context.Context) {
	w.begin(r, ctx)
	for ctx.Err() == nil || r.IsLeader() { // it leads on while it winds down
		w.write(r, ctx)
		if ctx.Err() != nil && w.bad[r].intN(5) == 0 {
			break
		}
		r.sleep(context.Background(), 250*time.Millisecond)
	}
	r.sleep(context.Background(), time.Duration(w.bad[r].intN(3000))*time.Millisecond)
}

// begin checks that no other replica leads, unless it is stopped.
func (w *world) begin(r *replica, _ context.Context) {
	for _, other := range w.replicas {
		if other == r || other.context() == nil || w.bad[other].stopped() {
			continue
		}
		if other.context().Value(termKey{}).(*term).inner.Err() == nil {
			w.t.Errorf("after %v, %s begins to lead, and %s leads", sinceStart(), r.identity, other.identity)
		}
	}
}

func (w *world) write(r *replica, ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes++
	last := len(w.order) - 1
	if last >= 0 && w.order[last].ctx == ctx {
		return
	}
	number, _ := Term(ctx)
	for i, before := range w.order {
		n, _ := Term(before.ctx)
		if before.ctx == ctx || !w.deleting && (n > number || n == number && before.replica != r) {
			w.t.Errorf("after %v, %s writes in term %d, after %s has written in term %d (%d of %d)",
				sinceStart(), r.identity, number, before.replica.identity, n, i, last)
		}
	}
	w.order = append(w.order, writer{r, ctx})
}

// storm makes bad weather for some time.
func (w *world) storm(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		r := w.replicas[w.rand.IntN(len(w.replicas))]
		weather := w.bad[r]
		if w.deleting && w.rand.IntN(4) == 0 {
			w.deleteLease()
		}
		switch w.rand.IntN(8) {
		case 0, 1, 2:
			weather.setStorm(w.rand.IntN(2) == 0)
		case 3, 4:
			w.pause(r)
		case 5, 6:
			weather.stopRun()
		case 7:
			if r.clock.Inexact && weather.stopped() {
				break // the wall clock is undefined in a suspend
			}
			r.clock.Jump(0, time.Duration(w.rand.IntN(7200)-3600)*time.Second)
			time.Sleep(time.Second)
		}
		time.Sleep(time.Duration(w.rand.IntN(10000)) * time.Millisecond)
	}
}

// deleteLease deletes the Lease up to three times within a few seconds, if it is there.
func (w *world) deleteLease() {
	for range w.rand.IntN(4) {
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "election"}}
		if w.server.Delete(context.Background(), lease, metav1.DeleteOptions{}) == nil {
			w.deleted++
		}
		time.Sleep(time.Duration(w.rand.IntN(3000)) * time.Millisecond)
	}
}

// pause stops a replica for some time: the process alone, or the machine with its clock.
func (w *world) pause(r *replica) {
	weather := w.bad[r]
	if !weather.pause() {
		return
	}
	length := time.Duration(w.rand.IntN(40000)) * time.Millisecond
	suspend := w.rand.IntN(2) == 0
	r.clock.Stop()
	w.running.Go(func() {
		time.Sleep(length)
		weather.resume()
		if suspend {
			r.clock.Wake(length)
		} else {
			r.clock.Continue()
		}
	})
}

// clear ends all faults, and expects a leader.
func (w *world) clear() {
	for _, weather := range w.bad {
		weather.setStorm(false)
	}
	sleep(40*time.Second + lease + renew + 5*retry) // the longest pause, then what may be left of a lease and a request
	if w.deleting {
		sleep(lease + 5*retry) // and a Lease that has to be created
	}
	var leader *replica
	for i := range 30 {
		leaders := 0
		for _, r := range w.replicas {
			if r.IsLeader() {
				leaders++
				if i > 0 && r != leader {
					w.t.Errorf("after %v, the leader changes to %s, in good weather", sinceStart(), r.identity)
				}
				leader = r
			}
		}
		if leaders != 1 {
			w.t.Errorf("after %v, %d lead, in good weather", sinceStart(), leaders)
		}
		sleep(time.Second)
	}
}

// fate is the outcome of a request.
func (w *weather) fate(*http.Request) fate {
	w.mu.Lock()
	defer w.mu.Unlock()
	upTo := func(seconds int) time.Duration { return time.Duration(w.rand.IntN(seconds*1000)) * time.Millisecond }
	f := fate{there: upTo(1) / 10, back: upTo(1) / 10}
	if !w.storm {
		return f
	}
	switch w.rand.IntN(10) {
	case 0:
		f.neverSent = true
	case 1:
		f.neverAnswered = true
	case 2:
		f.refused = true
	case 3:
		f.cutBack = true
	case 4, 5:
		f.there = upTo(20) // arrives late, be the sender still there or not
	case 6, 7:
		f.back = upTo(8)
	}
	return f
}

func (w *weather) intN(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rand.IntN(n)
}

func (w *weather) setStorm(storm bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.storm = storm
}

func (w *weather) setRun(cancel context.CancelFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cancel = cancel
}

func (w *weather) stopRun() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel != nil {
		w.cancel()
	}
}

func (w *weather) pause() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.paused {
		return false
	}
	w.paused = true
	return true
}

func (w *weather) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused, w.resumed = false, time.Now()
}

// stopped reports whether the replica is stopped, or was until just now.
func (w *weather) stopped() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.paused || time.Since(w.resumed) < time.Millisecond
}
