package replicas

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Campaign is how long a scene is harmed, and how.
type Campaign struct {
	For      time.Duration
	Seed     uint64
	Replicas int
	// Objects and Namespaces are those of the scene.
	Objects, Namespaces int
	// Key is what shards are made by: see Setup.
	Key string
	// Rate is the number of changes of objects a second.
	Rate int
}

// Report is what a campaign has found.
type Report struct {
	Campaign
	Faults                   map[string]int
	Ended                    map[string]int // replicas
	Grants, Acts, Writes     int
	Changes                  int64
	Ages                     []time.Duration // from each change to the value that it asks for, in order of length
	Violations               []error
	LeaseWrites, MapVersions int64
}

// String returns the report in some lines.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v with seed %d, %d replicas, %d objects by %s\n", r.For, r.Seed, r.Replicas, r.Objects, r.Key)
	counts := func(m map[string]int) string {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(m)) {
			parts = append(parts, fmt.Sprintf("%d %s", m[name], name))
		}
		return strings.Join(parts, ", ")
	}
	fmt.Fprintf(&b, "faults: %s\nreplicas that ended: %s\n", counts(r.Faults), counts(r.Ended))
	fmt.Fprintf(&b, "%d grants of shards, %d acts, %d changes of objects, %d versions of objects, %d of leases, %d of the map\n",
		r.Grants, r.Acts, r.Changes, r.Writes, r.LeaseWrites, r.MapVersions)
	if len(r.Ages) > 0 {
		fmt.Fprintf(&b, "from a change to its reconcile: p50 %v, p99 %v, p99.9 %v, max %v\n",
			quantile(r.Ages, 0.5), quantile(r.Ages, 0.99), quantile(r.Ages, 0.999), quantile(r.Ages, 1))
	}
	fmt.Fprintf(&b, "violations: %d", len(r.Violations))
	for _, err := range r.Violations[:min(len(r.Violations), 20)] {
		fmt.Fprintf(&b, "\n  %v", err)
	}
	return b.String()
}

// quantile returns a quantile of values in order.
func quantile(values []time.Duration, q float64) time.Duration {
	return values[min(len(values)-1, int(q*float64(len(values))))].Round(100 * time.Microsecond)
}

// campaign is one that runs.
type campaign struct {
	*Scene
	Campaign
	r       *rand.Rand
	wanted  atomic.Int32 // replicas
	changes atomic.Int64
	faults  map[string]int
	repairs sync.WaitGroup
	server  sync.Mutex // held while the API server is away
}

// Run does the scene harm. It returns an error if the campaign could not be run; violations are in the report.
func (c Campaign) Run(ctx context.Context, s *Scene) (*Report, error) {
	run := &campaign{Scene: s, Campaign: c, r: rand.New(rand.NewPCG(c.Seed, 0)), faults: map[string]int{}}
	run.wanted.Store(int32(c.Replicas))
	keeping, stopKeeping := context.WithCancel(ctx)
	changing, stopChanging := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stopKeeping()
	defer stopChanging()
	all.Go(func() { run.keep(keeping) })
	if err := s.divided(ctx, c.Replicas, 90*time.Second); err != nil {
		return nil, err
	}
	s.say("%d replicas share the work", c.Replicas)
	all.Go(func() { run.change(changing) })
	for began := time.Now(); time.Since(began) < c.For && ctx.Err() == nil; {
		sleep(ctx, time.Duration(run.r.IntN(8000))*time.Millisecond)
		run.fault(ctx)
	}
	run.repairs.Wait()
	run.wanted.Store(int32(c.Replicas))
	s.say("all is repaired")
	if err := s.divided(ctx, c.Replicas, 2*time.Minute); err != nil {
		return nil, err
	}
	stopChanging()
	for began := time.Now(); s.log.Open() > 0 && time.Since(began) < 2*time.Minute && ctx.Err() == nil; {
		sleep(ctx, 100*time.Millisecond)
	}
	return run.report(), ctx.Err()
}

func (c *campaign) report() *Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &Report{Campaign: c.Campaign, Faults: c.faults, Ended: maps.Clone(c.ended), Changes: c.changes.Load(), Ages: c.log.Ages(),
		LeaseWrites: c.effects.leases.Load(), MapVersions: c.effects.maps.Load(), Violations: c.log.Check()}
	r.Acts, r.Writes = c.log.Size()
	for _, e := range c.events {
		if e.granted {
			r.Grants++
		}
	}
	for _, text := range c.panics {
		r.Violations = append(r.Violations, fmt.Errorf("a replica has panicked:\n%s", text))
	}
	if err := c.blind.Load(); err != nil {
		r.Violations = append(r.Violations, *err)
	}
	return r
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// keep starts and stops replicas, so that there are as many as wanted.
func (c *campaign) keep(ctx context.Context) {
	for ; ctx.Err() == nil; sleep(ctx, 300*time.Millisecond) {
		working := c.working()
		for _, r := range working[min(len(working), int(c.wanted.Load())):] {
			r.stop()
		}
		for range int(c.wanted.Load()) - len(working) {
			if _, err := c.start(); err != nil {
				c.say("a replica was not started: %v", err)
			}
		}
	}
}

// change changes objects until ctx ends. What the server does not take while it is away, is not a change.
func (c *campaign) change(ctx context.Context) {
	r := rand.New(rand.NewPCG(c.Seed, 1))
	tick := time.NewTicker(time.Second / time.Duration(c.Rate))
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		task := newTask(r.IntN(c.Objects), c.Namespaces, fmt.Sprint(n))
		maps := c.client.CoreV1().ConfigMaps(task.Namespace)
		one, cancel := context.WithTimeout(ctx, 5*time.Second)
		if r.IntN(20) == 0 { // the same name, for another object
			_ = maps.Delete(one, task.Name, metav1.DeleteOptions{})
			if _, err := maps.Create(one, task, metav1.CreateOptions{}); err == nil {
				c.changes.Add(1)
			}
		} else {
			patch := fmt.Sprintf(`{"data":{%q:"%d"}}`, wantKey, n)
			if _, err := maps.Patch(one, task.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err == nil {
				c.changes.Add(1)
			}
		}
		cancel()
	}
}

// fault does something to a replica, to the server, or to the objects of the group. What it breaks is repaired later.
func (c *campaign) fault(ctx context.Context) {
	working := c.working()
	if len(working) == 0 {
		return
	}
	r := working[c.r.IntN(len(working))]
	name := r.member()
	between := func(least, most int) time.Duration {
		return time.Duration(least*1000+c.r.IntN((most-least)*1000)) * time.Millisecond
	}
	did := func(kind, format string, args ...any) {
		c.faults[kind]++
		c.say(format, args...)
	}
	later := func(d time.Duration, repair func()) {
		c.repairs.Go(func() {
			sleep(ctx, d)
			repair()
		})
	}
	switch n := c.r.IntN(100); {
	case n < 20:
		did("kill -9", "%s is killed", name)
		r.kill()
	case n < 38:
		d := between(1, 25)
		did("freeze", "%s is frozen for %v", name, d)
		r.freeze(true)
		later(d, func() { r.freeze(false) })
	case n < 48:
		d := between(1, 20)
		did("cut", "%s has no network for %v", name, d)
		r.tunnel.Refuse(true)
		later(d, func() { r.tunnel.Refuse(false) })
	case n < 60:
		d := between(1, 20)
		did("silence", "what %s sends and gets is lost for %v", name, d)
		r.tunnel.Swallow(true)
		later(d, func() { r.tunnel.Swallow(false); r.tunnel.Cut() })
	case n < 72:
		did("stop", "%s is told to stop", name)
		r.stop()
	case n < 82:
		c.wanted.Store(int32(1 + c.r.IntN(c.Replicas)))
		did("scale", "%d replicas are wanted", c.wanted.Load())
		later(between(10, 30), func() { c.wanted.Store(int32(c.Replicas)) })
	case n < 88:
		did("rolling update", "all %d replicas are replaced", len(working))
		for _, r := range working {
			if _, err := c.start(); err != nil {
				c.say("a replica was not started: %v", err)
			}
			sleep(ctx, between(1, 3))
			r.stop()
		}
	case n < 94:
		if !c.server.TryLock() {
			return
		}
		d := between(0, 6)
		did("API server killed", "the API server is killed, and started %v later", d)
		c.env.KillAPIServer()
		later(d, func() {
			defer c.server.Unlock()
			if err := c.env.StartAPIServer(ctx); err != nil {
				c.say("the API server was not started: %v", err)
			}
		})
	case n < 98:
		did("lease deleted", "the lease of %s is deleted", name)
		_ = c.client.CoordinationV1().Leases(groupNamespace).Delete(ctx, name, metav1.DeleteOptions{})
	default:
		did("map deleted", "the map is deleted")
		_ = c.client.CoreV1().ConfigMaps(groupNamespace).Delete(ctx, c.setup.Group, metav1.DeleteOptions{})
	}
}
