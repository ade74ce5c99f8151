package replicas

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// figures is a measurement that runs.
type figures struct {
	*Scene
	objects, replicas int
	rows              []string
}

// kills is how often a replica is killed, and rolls how often one is replaced, for a figure.
const kills, rolls = 10, 20

// Figures prints how long moves take, and what a group costs, as a table in Markdown.
func Figures(ctx context.Context, out io.Writer, objects, replicas int) (err error) {
	setup := Setup{Key: "name", Shards: 64, Workers: 4, IO: 10 * time.Millisecond}
	f := &figures{objects: objects, replicas: replicas}
	s, err := NewScene(ctx, out, setup, objects, f.namespaces())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	f.Scene = s
	for _, step := range []struct {
		what string
		run  func(context.Context) error
	}{
		{"default", f.moves},
		{"throughput", f.throughput},
		{"fast", f.fast},
		{"selected", f.selected},
	} {
		s.setup = setup
		s.setup.Group, s.setup.Namespace, s.setup.Token, s.setup.CA = "tasks-"+step.what, groupNamespace, s.config.BearerToken, s.config.CAData
		if err := step.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
		f.stopAll()
	}
	if violations := s.log.Check(); len(violations) > 0 {
		return errors.Join(violations...)
	}
	fmt.Fprintf(out, "\n| what | measured |\n|---|---:|\n")
	for _, row := range f.rows {
		fmt.Fprintln(out, row)
	}
	return nil
}

// namespaces returns the number of namespaces, with 100 objects each.
func (f *figures) namespaces() int { return max(1, f.objects/100) }

func (f *figures) row(what, format string, args ...any) {
	row := fmt.Sprintf("| %s | %s |", what, fmt.Sprintf(format, args...))
	f.rows = append(f.rows, row)
	f.say("%s", row)
}

// begin starts replicas until there are n, and waits until they share the shards and all objects are done.
func (f *figures) begin(ctx context.Context, n int) error {
	for len(f.working()) < n {
		if _, err := f.start(); err != nil {
			return err
		}
	}
	if err := f.divided(ctx, n, 2*time.Minute); err != nil {
		return err
	}
	for began := time.Now(); f.log.Open() > 0 && !f.setup.Again; sleep(ctx, 100*time.Millisecond) {
		if time.Since(began) > 10*time.Minute || ctx.Err() != nil {
			return fmt.Errorf("%d objects are not done", f.log.Open())
		}
	}
	return ctx.Err()
}

func (f *figures) stopAll() {
	all := f.running()
	for _, r := range all {
		r.stop()
	}
	for _, r := range all {
		select {
		case <-r.done:
		case <-time.After(time.Minute):
			f.say("replica %s did not stop", r.member())
			r.kill()
		}
	}
}

// moves measures hand-overs, failover, writes, memory and balance.
func (f *figures) moves(ctx context.Context) error {
	if err := f.begin(ctx, 1); err != nil {
		return err
	}
	single, err := f.memory()
	if err != nil {
		return err
	}
	if err := f.begin(ctx, f.replicas); err != nil {
		return err
	}
	sleep(ctx, 10*time.Second) // loads are reported with renewals
	shared, err := f.memory()
	if err != nil {
		return err
	}
	f.row("heap of a replica, of one alone and of "+fmt.Sprint(f.replicas), "%.1f MB → %.1f MB (1/N of the first is %.1f MB)",
		single/1e6, shared/1e6, single/1e6/float64(f.replicas))
	if err := f.balance(ctx, "by namespace and name"); err != nil {
		return err
	}
	leases, maps, seconds := f.effects.leases.Load(), f.effects.maps.Load(), 30.0
	sleep(ctx, time.Duration(seconds)*time.Second)
	f.row("writes of a replica while nothing moves", "%.2f a second (all %d together %d of leases, %d of the map in %.0f s)",
		float64(f.effects.leases.Load()-leases+f.effects.maps.Load()-maps)/seconds/float64(f.replicas),
		f.replicas, f.effects.leases.Load()-leases, f.effects.maps.Load()-maps, seconds)
	if err := f.join(ctx); err != nil {
		return err
	}
	if err := f.handOvers(ctx); err != nil {
		return err
	}
	return f.failover(ctx, "lease 9 s, the default")
}

// fast measures failover with short leases.
func (f *figures) fast(ctx context.Context) error {
	f.setup.Lease, f.setup.Renew, f.setup.Retry, f.setup.Key = 4*time.Second, 3*time.Second, time.Second, "mixed"
	if err := f.begin(ctx, f.replicas); err != nil {
		return err
	}
	sleep(ctx, 10*time.Second) // loads are reported with renewals, and the shards divided by them
	if err := f.balance(ctx, fmt.Sprintf("by namespace (%d of them), the default key", f.namespaces())); err != nil {
		return err
	}
	return f.failover(ctx, "lease 4 s")
}

func (f *figures) memory() (float64, error) {
	var sum int64
	all := f.working()
	for _, r := range all {
		n, err := r.ask("memory")
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return float64(sum) / float64(len(all)), nil
}

// balance reports how many objects the replica with the most has.
func (f *figures) balance(ctx context.Context, key string) error {
	o, err := f.overview(ctx)
	if err != nil {
		return err
	}
	most, sum, shards := 0.0, 0.0, 0
	for _, m := range o.Members {
		most, sum, shards = max(most, m.Load), sum+m.Load, max(shards, m.Shards)
	}
	f.row("objects of the replica with the most, over the mean, "+key, "%.3f (%d shards, %d replicas)", most/sum*float64(f.replicas), len(o.Shards), f.replicas)
	return nil
}

// handOvers replaces replicas one by one. A pause is from the release of a shard, when the last work in it has ended, to its grant.
func (f *figures) handOvers(ctx context.Context) error {
	began := time.Now()
	var mapWrites, leaseWrites []int64
	objects, had, moved := f.effects.tasks.Load(), 0, 0
	for range rolls {
		before, err := f.owners(ctx)
		if err != nil {
			return err
		}
		if _, err := f.start(); err != nil {
			return err
		}
		sleep(ctx, 3*time.Second)
		old := f.working()[0]
		leases, maps := f.effects.leasesOf(old.member()), f.effects.maps.Load()
		old.stop()
		<-old.done
		sleep(ctx, 500*time.Millisecond)
		mapWrites, leaseWrites = append(mapWrites, f.effects.maps.Load()-maps), append(leaseWrites, f.effects.leasesOf(old.member())-leases)
		if err := f.divided(ctx, f.replicas, time.Minute); err != nil {
			return err
		}
		after, err := f.owners(ctx)
		if err != nil {
			return err
		}
		had, moved = had+count(before, old.member()), moved+changes(before, after)
	}
	pauses := f.pauses(began)
	if len(pauses) == 0 {
		return errors.New("no shard has moved")
	}
	f.row(fmt.Sprintf("pause of a shard that is handed over, %d objects", f.objects), "p50 %v, p99 %v, max %v (%d moves)",
		quantile(pauses, 0.5), quantile(pauses, 0.99), quantile(pauses, 1), len(pauses))
	slices.Sort(mapWrites)
	slices.Sort(leaseWrites)
	f.row("writes to replace a replica, with all its shards", "%d of the map, %d of its lease (medians of %d); %d of objects", mapWrites[rolls/2], leaseWrites[rolls/2], rolls,
		f.effects.tasks.Load()-objects)
	f.row(fmt.Sprintf("shards that have another owner after %d replacements, over those of the replicas that left", rolls), "%d over %d", moved, had)
	return nil
}

// join measures how many shards move to a replica that joins.
func (f *figures) join(ctx context.Context) error {
	before, err := f.owners(ctx)
	if err != nil {
		return err
	}
	if err := f.begin(ctx, f.replicas+1); err != nil {
		return err
	}
	after, err := f.owners(ctx)
	if err != nil {
		return err
	}
	f.row(fmt.Sprintf("shards that move when replica %d joins", f.replicas+1), "%d of %d (1/%d is %.1f)", changes(before, after), len(after), f.replicas+1,
		float64(len(after))/float64(f.replicas+1))
	joined := f.working()[f.replicas]
	joined.stop()
	<-joined.done
	return f.divided(ctx, f.replicas, time.Minute)
}

// owners returns the owner of each shard.
func (f *figures) owners(ctx context.Context) ([]string, error) {
	o, err := f.overview(ctx)
	if err != nil {
		return nil, err
	}
	owners := make([]string, len(o.Shards))
	for i, s := range o.Shards {
		owners[i] = s.Owner
	}
	return owners, nil
}

func count(owners []string, member string) (n int) {
	for _, owner := range owners {
		if owner == member {
			n++
		}
	}
	return n
}

func changes(before, after []string) (n int) {
	for i := range before {
		if before[i] != after[i] {
			n++
		}
	}
	return n
}

// pauses returns the times from releases to grants since began, in order of length.
func (f *figures) pauses(began time.Time) (pauses []time.Duration) {
	f.mu.Lock()
	events := slices.Clone(f.events)
	f.mu.Unlock()
	slices.SortStableFunc(events, func(a, b event) int { return a.at.Compare(b.at) })
	released := map[int]time.Time{}
	for _, e := range events {
		switch at, known := released[e.shard]; {
		case e.at.Before(began):
		case !e.granted:
			released[e.shard] = e.at
		case known:
			pauses = append(pauses, e.at.Sub(at))
			delete(released, e.shard)
		}
	}
	slices.Sort(pauses)
	return pauses
}

// failover kills replicas, and measures how long it takes until each of those that get their shards works in one of them. How long the last key of a
// shard takes depends on how many there are, and on what a reconcile takes.
func (f *figures) failover(ctx context.Context, lease string) error {
	var took []time.Duration
	for range kills {
		o, err := f.overview(ctx)
		if err != nil {
			return err
		}
		victim := f.working()[0]
		had := map[int]bool{}
		for i, one := range o.Shards {
			had[i] = one.Owner == victim.member()
		}
		killed := time.Now()
		victim.kill()
		if _, err := f.start(); err != nil {
			return err
		}
		for owned := 1; owned > 0; sleep(ctx, 100*time.Millisecond) {
			owners, err := f.owners(ctx)
			if err != nil {
				return err
			}
			if owned = count(owners, victim.member()); owned > 0 && time.Since(killed) > time.Minute {
				return fmt.Errorf("a replica that was killed still owns %d shards", owned)
			}
		}
		if err := f.divided(ctx, f.replicas, time.Minute); err != nil {
			return err
		}
		first := map[string]time.Time{}
		for _, a := range f.log.Acts() {
			if _, known := first[a.Member]; !known && had[a.Shard] && a.At.After(killed) && a.Member != victim.member() {
				first[a.Member] = a.At
			}
		}
		if len(first) == 0 {
			return errors.New("nothing was reconciled in the shards of a replica after it was killed")
		}
		for _, at := range first {
			took = append(took, at.Sub(killed))
		}
	}
	slices.Sort(took)
	f.row("kill -9 to the first reconcile of another replica, "+lease, "p50 %v, p99 %v, max %v (%d new owners, %d kills)",
		quantile(took, 0.5), quantile(took, 0.99), quantile(took, 1), len(took), kills)
	return nil
}

// throughput measures how many reconciles, each of which waits, replicas do together.
func (f *figures) throughput(ctx context.Context) error {
	f.setup.Again, f.setup.Silent = true, true
	rates := map[int]float64{}
	for _, n := range []int{1, f.replicas} {
		if err := f.begin(ctx, n); err != nil {
			return err
		}
		count := func() (sum int64, err error) {
			for _, r := range f.working() {
				n, err := r.ask("reconciles")
				if err != nil {
					return 0, err
				}
				sum += n
			}
			return sum, nil
		}
		sleep(ctx, 5*time.Second)
		first, err := count()
		if err != nil {
			return err
		}
		began := time.Now()
		sleep(ctx, 20*time.Second)
		last, err := count()
		if err != nil {
			return err
		}
		rates[n] = float64(last-first) / time.Since(began).Seconds()
	}
	f.row(fmt.Sprintf("reconciles a second that wait for 10 ms, 4 workers each, 1 and %d replicas", f.replicas), "%.0f → %.0f, efficiency %.3f",
		rates[1], rates[f.replicas], rates[f.replicas]/rates[1]/float64(f.replicas))
	return nil
}

// selected measures what replicas receive if the server selects their objects.
func (f *figures) selected(ctx context.Context) error {
	f.setup.Key = "namespace"
	received, most := map[int]float64{}, map[int]float64{}
	for _, n := range []int{1, f.replicas} {
		f.setup.Group = fmt.Sprintf("tasks-selected-%d", n)
		for range n {
			if _, err := f.start(); err != nil {
				return err
			}
		}
		if err := f.divided(ctx, n, 2*time.Minute); err != nil {
			return err
		}
		sleep(ctx, 10*time.Second)
		sum := int64(0)
		for _, r := range f.working() {
			sum += r.tunnel.Received()
			most[n] = max(most[n], float64(r.tunnel.Received()))
		}
		received[n] = float64(sum) / float64(n)
		if n == f.replicas {
			if err := f.balance(ctx, fmt.Sprintf("by namespace (%d of them), the key that servers select by", f.namespaces())); err != nil {
				return err
			}
		}
		f.stopAll()
	}
	f.row(fmt.Sprintf("received by a replica until all is synced, the server selects, 1 and %d replicas", f.replicas), "%.1f MB → %.1f MB on average, %.2f/N; the most %.1f MB",
		received[1]/1e6, received[f.replicas]/1e6, received[f.replicas]/received[1]*float64(f.replicas), most[f.replicas]/1e6)
	return nil
}
