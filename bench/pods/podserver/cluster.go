package podserver

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"vedette.dev/bench/pods"
)

// cluster is what the server knows of its pods: which change has made each of them what it is.
type cluster struct {
	mu    sync.Mutex
	moved *sync.Cond // there are changes, or a watch is to look whether it should end

	now []int32 // the change of each pod, 0 for none, or gone
	// log is all changes. The number of a change is its position plus one.
	log []change
	// oldest is how many changes are forgotten: a watch that is not as far has expired.
	oldest int

	// reached is how far the last watch is that asked for more.
	reached int

	// epoch is how often watches were made to expire, and idle the last in which a watch had nothing left to send.
	epoch, idle int
	asked       time.Time // when something was asked for first in this epoch
	listed      listing   // the last one that was sent in pages

	lists, streams int // how often they were asked for
}

const gone = -1

// change is a change of a pod.
type change struct {
	index   int32
	deleted bool
}

// listing is the state of all pods after so many changes.
type listing struct {
	position int
	pods     []int32
}

func newCluster(count int) *cluster {
	c := &cluster{now: make([]int32, count)}
	c.moved = sync.NewCond(&c.mu)
	return c
}

// count counts a request.
func (c *cluster) count(which *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*which++
}

// snapshot is the present state.
func (c *cluster) snapshot() listing {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ask()
	return listing{len(c.log), slices.Clone(c.now)}
}

// ask records the time of the first request.
func (c *cluster) ask() {
	if c.asked.IsZero() {
		c.asked = time.Now()
	}
}

// add appends a change. The lock is held.
func (c *cluster) add(index int, deleted bool) {
	c.log = append(c.log, change{int32(index), deleted})
	c.now[index] = int32(len(c.log))
	if deleted {
		c.now[index] = gone
	}
}

// Spread is the pod that change number n of an update concerns. In as many changes as there are pods, each has its turn once.
func Spread(n, count int) int { return n * 2_654_435_761 % count }

// update changes pods one after the other, all at once or at a rate. It returns when each change came, if that is asked for.
func (c *cluster) update(u Update) []int64 {
	if u.Rate == 0 {
		return c.burst(u.Events, u.Times)
	}
	var times []int64
	began := time.Now()
	for done, ended := 0, false; done < u.Events && !ended; {
		time.Sleep(time.Millisecond)
		due := int(time.Since(began).Seconds() * float64(u.Rate))
		ended = u.Ahead > 0 && due >= u.Events
		step := min(due, u.Events) - done
		if u.Ahead > 0 {
			step = min(step, c.room(u.Ahead))
		}
		times = append(times, c.burst(step, u.Times)...)
		done += step
	}
	return times
}

// room is how many changes may come if only so many may wait for the watch.
func (c *cluster) room(ahead int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(0, ahead-(len(c.log)-c.reached))
}

// burst is so many changes at once.
func (c *cluster) burst(events int, timed bool) []int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := time.Now().UnixNano()
	var times []int64
	for range events {
		c.add(Spread(len(c.log)+1, len(c.now)), false)
		if timed {
			times = append(times, at)
		}
	}
	c.moved.Broadcast()
	return times
}

// remove deletes all pods but one in so many.
func (c *cluster) remove(keepOneIn int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.now {
		if i%keepOneIn != 0 && c.now[i] != gone {
			c.add(i, true)
		}
	}
	c.moved.Broadcast()
}

// expire ends all watches. Meanwhile one pod in so many has changed, and as many are gone.
func (c *cluster) expire(oneIn int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.now {
		switch i % oneIn {
		case 1:
			c.add(i, false)
		case 2:
			c.add(i, true)
		}
	}
	c.oldest = len(c.log)
	c.epoch++
	c.asked = time.Time{}
	c.moved.Broadcast()
}

// touch changes pod 0 when a watch of this epoch has sent all there was.
func (c *cluster) touch() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	timeout := time.AfterFunc(5*time.Minute, c.moved.Broadcast)
	defer timeout.Stop()
	for began := time.Now(); c.idle < c.epoch; c.moved.Wait() {
		if time.Since(began) > 5*time.Minute {
			return fmt.Errorf("no watch has come as far as change %d", len(c.log))
		}
	}
	c.add(0, false)
	c.moved.Broadcast()
	return nil
}

func version(position int) int64 { return pods.ListVersion + int64(position) }
