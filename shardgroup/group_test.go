package shardgroup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/internal/clock/clocktest"
	coreclient "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/rest"
	"vedette.dev/shardgroup/internal/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// running is a member that runs in a bubble.
type running struct {
	*Group
	cancel context.CancelFunc
	done   chan struct{}
	err    error // when done is closed
}

func start(t *testing.T, server *apitest.Server, change func(*Config)) *running {
	t.Helper()
	return startBound(t, server, change, func(*Group) {})
}

// startBound also calls bind, before the member runs.
func startBound(t *testing.T, server *apitest.Server, change func(*Config), bind func(*Group)) *running {
	t.Helper()
	config := Config{Name: "pods", Namespace: "default", REST: server.RESTConfig(), Shards: 12, Identity: "m"}
	if change != nil {
		change(&config)
	}
	g, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	bind(g)
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{Group: g, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.err = g.Run(ctx)
	}()
	return r
}

func (r *running) stop(t *testing.T) {
	t.Helper()
	r.cancel()
	<-r.done
	if r.err != nil {
		t.Error(r.err)
	}
}

func TestMembersShareAndHandOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		a := start(t, server, nil)
		time.Sleep(20 * time.Second)
		if n := len(a.Owned()); n != 12 {
			t.Fatalf("the only member owns %d of 12 shards", n)
		}
		b := start(t, server, nil)
		time.Sleep(20 * time.Second)
		if x, y := len(a.Owned()), len(b.Owned()); x != 6 || y != 6 {
			t.Errorf("two members own %d and %d of 12 shards", x, y)
		}
		overview, err := Read(t.Context(), server.RESTConfig(), "default", "pods")
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range overview.Members {
			if m.Phase != "active" || m.Shards != 6 || m.Capacity != 1 || m.LeaseDuration != 9*time.Second || time.Since(m.Renewed) > 3*time.Second || m.Coordinator != (m.Name == a.Name()) {
				t.Errorf("member %d is %+v", i, m)
			}
		}
		if state := b.State(); len(overview.Members) != 2 || overview.Group != state.Group || overview.Key != state.Key || len(overview.Shards) != 12 {
			t.Errorf("the overview is %+v", overview)
		}
		a.stop(t)
		time.Sleep(time.Second)
		if n := len(b.Owned()); n != 12 {
			t.Errorf("the member that is left owns %d of 12 shards", n)
		}
		state, gained := b.State(), 0
		for _, m := range state.Moves {
			if m.To == b.Name() {
				gained++
			}
			if m.From != a.Name() && m.From != "" || m.Took > 5*time.Second || time.Since(m.At) > time.Minute {
				t.Errorf("a move is %+v", m)
			}
		}
		if gained != 12 || state.Grants != 12 {
			t.Errorf("%d moves to the member, which has got %d of 12 shards", gained, state.Grants)
		}
		b.stop(t)
		if _, err := Read(t.Context(), server.RESTConfig(), "default", "others"); !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "group default/others has no map") {
			t.Errorf("of a group that does not exist: %v", err)
		}
	})
}

// A shard does not leave its owner while work in it goes on.
func TestWorkEndsBeforeAShardMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		a := start(t, server, func(c *Config) { c.Shards = 1 })
		time.Sleep(20 * time.Second)
		ctx, done, err := a.Begin(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		epoch, _ := Epoch(ctx)
		b := start(t, server, func(c *Config) { c.Shards = 1 })
		time.Sleep(5 * time.Second)
		a.cancel()
		time.Sleep(20 * time.Second)
		if len(b.Owned()) != 0 || ctx.Err() != nil {
			t.Errorf("the shard has moved while work goes on, whose context has error %v", ctx.Err())
		}
		if _, _, err := a.Begin(t.Context(), 0); !errors.Is(err, ErrNotOwner) {
			t.Errorf("work began in a shard that is drained: %v", err)
		}
		done()
		done()
		time.Sleep(time.Second)
		ctx, done, err = b.Begin(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if next, _ := Epoch(ctx); next <= epoch {
			t.Errorf("the epoch is %d after %d", next, epoch)
		}
		done()
		a.stop(t)
		b.stop(t)
	})
}

// Work that does not end has its context cancelled, and then ends the membership.
func TestDrainTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		a := start(t, server, func(c *Config) { c.Shards = 1 })
		time.Sleep(20 * time.Second)
		ctx, done, err := a.Begin(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		b := start(t, server, func(c *Config) { c.Shards = 1 })
		time.Sleep(5 * time.Second)
		a.cancel()
		time.Sleep(31 * time.Second)
		if !errors.Is(context.Cause(ctx), ErrMoved) {
			t.Errorf("after the timeout the cause is %v", context.Cause(ctx))
		}
		time.Sleep(70 * time.Second)
		<-a.done
		if !errors.Is(a.err, ErrDrainTimeout) {
			t.Errorf("Run returned %v", a.err)
		}
		time.Sleep(10 * time.Second)
		if len(b.Owned()) != 1 {
			t.Error("the other member does not own the shard, though the lease of the first is over")
		}
		done()
		b.stop(t)
	})
}

func TestOthersTakeOverAfterTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		var all []*running
		for range 3 {
			all = append(all, start(t, server, nil))
		}
		time.Sleep(30 * time.Second)
		for _, r := range all {
			if n := len(r.Owned()); n != 4 {
				t.Errorf("%s owns %d of 12 shards", r.Name(), n)
			}
		}
		// Its lease is deleted: it stops, and its shards are free when the lease would have been over.
		if err := server.Delete(t.Context(), lease(all[0].Name()), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		<-all[0].done
		if !errors.Is(all[0].err, ErrLost) {
			t.Errorf("Run returned %v", all[0].err)
		}
		if n := len(all[1].Owned()) + len(all[2].Owned()); n != 8 {
			t.Errorf("the others own %d of 12 shards 5 s after the lease was deleted", n)
		}
		time.Sleep(7 * time.Second)
		if n := len(all[1].Owned()) + len(all[2].Owned()); n != 12 {
			t.Errorf("the others own %d of 12 shards 12 s after the lease was deleted", n)
		}
		all[1].stop(t)
		all[2].stop(t)
	})
}

func TestTheMapIsDeletedOrEdited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		a, b := start(t, server, nil), start(t, server, nil)
		time.Sleep(30 * time.Second)
		before := len(a.Owned())
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "pods", Namespace: "default"}}
		edited, err := a.maps.Get(t.Context(), "pods", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		edited.Data["map"] = strings.Replace(edited.Data["map"], "@0", "@1", 1)
		if _, err := a.maps.Update(t.Context(), edited, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second)
		if n := len(a.Owned()); n != before {
			t.Errorf("after the map was edited a member owns %d shards, and owned %d", n, before)
		}
		if err := a.State().Err; err == nil {
			t.Error("the state has no error")
		}
		if err := server.Delete(t.Context(), cm, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if n := len(a.Owned()) + len(b.Owned()); n != 0 {
			t.Errorf("%d shards are owned without a map", n)
		}
		time.Sleep(20 * time.Second)
		if n := len(a.Owned()) + len(b.Owned()); n != 12 {
			t.Errorf("%d of 12 shards are owned by a new map", n)
		}
		a.stop(t)
		b.stop(t)
	})
}

// replace writes a text in place of the map, as a person may do.
func replaceMap(t *testing.T, g *running, text string) {
	t.Helper()
	cm, err := g.maps.Get(t.Context(), "pods", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cm.Data = map[string]string{mapKey: text}
	if _, err := g.maps.Update(t.Context(), cm, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func mapText(t *testing.T, g *running) string {
	t.Helper()
	cm, err := g.maps.Get(t.Context(), "pods", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return cm.Data[mapKey]
}

// TestTheMapIsEmptied: a map that takes the place of an emptied one grants nothing before work by the former one has ended, though
// the ConfigMap is the same object.
func TestTheMapIsEmptied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		a, b := start(t, server, nil), start(t, server, nil)
		time.Sleep(30 * time.Second)
		c := start(t, server, nil) // so that the shards are divided in another way than a new map would
		time.Sleep(30 * time.Second)
		busy := a.Owned()
		var work []func()
		for _, i := range busy {
			_, done, err := a.Begin(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			work = append(work, done)
		}
		replaceMap(t, a, "")
		for range 200 {
			time.Sleep(100 * time.Millisecond)
			if slices.ContainsFunc(append(b.Owned(), c.Owned()...), func(i int) bool { return slices.Contains(busy, i) }) {
				t.Fatal("a shard has another owner before the work in it has ended")
			}
		}
		for _, done := range work {
			done()
		}
		time.Sleep(20 * time.Second)
		if n := len(a.Owned()) + len(b.Owned()) + len(c.Owned()); n != 12 {
			t.Errorf("%d of 12 shards are owned by a new map", n)
		}
		a.stop(t)
		b.stop(t)
		c.stop(t)
	})
}

// TestAnEarlierMapIsWrittenBack: it changes nothing, also if it is a member without a memory that decides.
func TestAnEarlierMapIsWrittenBack(t *testing.T) {
	for _, stays := range []bool{true, false} {
		t.Run(fmt.Sprintf("the coordinator stays: %v", stays), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := apitest.New(t, apitest.Config{InMemory: true})
				a, b := start(t, server, nil), start(t, server, nil)
				time.Sleep(30 * time.Second)
				earlier := mapText(t, a)
				c := start(t, server, nil)
				time.Sleep(30 * time.Second)
				owned := c.Owned()
				if len(owned) != 4 {
					t.Fatalf("the third member owns %v", owned)
				}
				members := []*running{a, b}
				if !stays { // members that know what was, but for c
					a.stop(t)
					b.stop(t)
					time.Sleep(10 * time.Second)
					members = nil
				}
				replaceMap(t, c, earlier)
				d := start(t, server, nil)
				members = append(members, c, d)
				for range 400 {
					time.Sleep(100 * time.Millisecond)
					for _, m := range members {
						if m == c {
							continue
						}
						for _, i := range m.Owned() {
							if slices.Contains(c.Owned(), i) {
								t.Fatalf("shard %d has two owners", i)
							}
						}
					}
				}
				if err := c.State().Err; !contains(err, "the map was edited") {
					t.Errorf("the state has the error %v", err)
				}
				if err := server.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "pods", Namespace: "default"}}, metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(40 * time.Second)
				n := 0
				for _, m := range members {
					n += len(m.Owned())
				}
				if n != 12 {
					t.Errorf("%d of 12 shards are owned after the map was deleted", n)
				}
				for _, m := range members {
					m.stop(t)
				}
			})
		})
	}
}

// TestAMapThatWasReplacedIsWrittenBack: members that have never seen it know that it is older by its epochs.
func TestAMapThatWasReplacedIsWrittenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		first := start(t, server, nil)
		time.Sleep(30 * time.Second)
		replaced := mapText(t, first)
		if err := server.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "pods", Namespace: "default"}}, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second)
		a, b := start(t, server, nil), start(t, server, nil)
		first.stop(t)
		time.Sleep(40 * time.Second)
		owned, epoch := len(a.Owned()), a.State().Shards[0].Epoch
		replaceMap(t, a, replaced)
		time.Sleep(60 * time.Second)
		if n := len(a.Owned()); n != owned || a.State().Shards[0].Epoch < epoch || !contains(a.State().Err, "the map was edited") {
			t.Errorf("a member owns %d shards and owned %d, the epoch is %d and was %d; the error is %v", n, owned, a.State().Shards[0].Epoch, epoch, a.State().Err)
		}
		a.cancel()
		b.cancel()
		<-a.done
		<-b.done
	})
}

// TestAWatchOfLeasesThatIsLate: a coordinator that does not know the lease of a member does not take the member for dead.
func TestAWatchOfLeasesThatIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		a := start(t, server, nil)
		time.Sleep(10 * time.Second)
		l := &link{clock: &clocktest.Clock{}, r: rand.New(rand.NewPCG(1, 2)), closers: map[io.Closer]bool{}}
		b := start(t, server, func(c *Config) {
			c.REST = rest.CopyConfig(c.REST)
			c.REST.Wrap(func(rt http.RoundTripper) http.RoundTripper { return &transport{l, rt} })
		})
		time.Sleep(30 * time.Second)
		ends := make(chan struct{})
		l.set(func(l *link) { l.late, l.lateEnds = "leases", ends })
		c := start(t, server, nil)
		time.Sleep(20 * time.Second)
		m, err := protocol.Parse([]byte(mapText(t, a)))
		if err != nil {
			t.Fatal(err)
		}
		owned := c.Owned()
		if len(owned) != 4 || !slices.Contains(m.Coordinators, b.name) {
			t.Fatalf("the third member owns %v, and the coordinators are %v", owned, m.Coordinators)
		}
		m.Seq++
		m.Coordinators = []protocol.Member{b.name, a.name}
		replaceMap(t, a, string(m.Bytes()))
		for range 300 {
			time.Sleep(100 * time.Millisecond)
			if now := c.Owned(); !slices.Equal(now, owned) {
				t.Fatalf("a member that works owns %v, and owned %v", now, owned)
			}
		}
		close(ends)
		l.set(func(l *link) { l.late, l.lateEnds = "", nil })
		time.Sleep(20 * time.Second)
		a.stop(t)
		b.stop(t)
		c.stop(t)
	})
}

// TestAWatchOfTheMapThatIsLate: the coordinator goes on, though its watch of the map brings nothing.
func TestAWatchOfTheMapThatIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		l := &link{clock: &clocktest.Clock{}, r: rand.New(rand.NewPCG(1, 2)), closers: map[io.Closer]bool{}}
		a := start(t, server, func(c *Config) {
			c.REST = rest.CopyConfig(c.REST)
			c.REST.Wrap(func(rt http.RoundTripper) http.RoundTripper { return &transport{l, rt} })
		})
		time.Sleep(10 * time.Second)
		b := start(t, server, nil)
		time.Sleep(30 * time.Second)
		if a.State().Coordinator != a.Name() {
			t.Fatalf("the coordinator is %s", a.State().Coordinator)
		}
		ends := make(chan struct{})
		l.set(func(l *link) { l.late, l.lateEnds, l.lateOpened = "configmaps", ends, time.Now() })
		c := start(t, server, nil)
		time.Sleep(40 * time.Second)
		if n := len(c.Owned()); n != 4 {
			t.Errorf("a member that has joined owns %d shards, want 4", n)
		}
		close(ends)
		l.set(func(l *link) { l.late, l.lateEnds = "", nil })
		a.stop(t)
		b.stop(t)
		c.stop(t)
	})
}

// TestAllLeaveAtOnce: the work of some lasts longer than that of the coordinator.
func TestAllLeaveAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		var members []*running
		for range 5 {
			members = append(members, start(t, server, nil))
		}
		time.Sleep(40 * time.Second)
		var work []func()
		for _, m := range members {
			if m.Name() == members[0].State().Coordinator {
				continue
			}
			_, done, err := m.Begin(t.Context(), m.Owned()[0])
			if err != nil {
				t.Fatal(err)
			}
			work = append(work, done)
		}
		for _, m := range members {
			m.cancel()
		}
		began := time.Now()
		time.Sleep(5 * time.Second)
		for _, done := range work {
			done()
		}
		for _, m := range members {
			<-m.done
			if m.err != nil {
				t.Error(m.err)
			}
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("the last one has left after %v", took)
		}
	})
}

func TestAnotherConfigurationCannotJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		a := start(t, server, nil)
		time.Sleep(20 * time.Second)
		b := start(t, server, func(c *Config) { c.Shards = 13 })
		<-b.done
		if want := "it has 12 shards by namespace, mixed, and this member wants 13 by namespace, mixed"; !errors.Is(b.err, ErrMismatch) || !contains(b.err, want) {
			t.Errorf("Run returned %v", b.err)
		}
		if n := len(a.Owned()); n != 12 {
			t.Errorf("the member owns %d of 12 shards", n)
		}
		a.stop(t)
	})
}

func TestConfigIsChecked(t *testing.T) {
	server := apitest.New(t, apitest.Config{})
	for want, change := range map[string]func(*Config){
		"Config.REST is nil":                    func(c *Config) { c.REST = nil },
		"Config.Namespace is empty":             func(c *Config) { c.Namespace = "" },
		`Config.Name is ""`:                     func(c *Config) { c.Name = "" },
		"Config.Shards is 5000, want 1 to 4096": func(c *Config) { c.Shards = 5000 },
		"Config.Capacity is -1":                 func(c *Config) { c.Capacity = -1 },
		"Config.LeaseDuration is 7s":            func(c *Config) { c.LeaseDuration = 7 * time.Second },
		"Config.RenewDeadline is 3s":            func(c *Config) { c.RenewDeadline = 3 * time.Second },
		"Config.DrainTimeout is -1s":            func(c *Config) { c.DrainTimeout = -time.Second },
		"the name of a Lease":                   func(c *Config) { c.Identity = "A b" },
	} {
		config := Config{Name: "pods", Namespace: "default", REST: server.RESTConfig()}
		change(&config)
		if _, err := New(config); !contains(err, want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	g, err := New(Config{Name: "pods", Namespace: "default", REST: server.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := g.Begin(t.Context(), 0); !errors.Is(err, ErrNotOwner) {
		t.Errorf("before Run, Begin returned %v", err)
	}
}

func contains(err error, text string) bool { return err != nil && strings.Contains(err.Error(), text) }

func lease(name string) *coordinationv1.Lease {
	return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
}

// A member that may not watch the map says so, with the role that it needs, until it may.
func TestAWatchThatIsForbidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		fault, err := apitest.ParseFault("list,watch configmaps: 403")
		if err != nil {
			t.Fatal(err)
		}
		injected, err := server.Inject(fault)
		if err != nil {
			t.Fatal(err)
		}
		var log safeBuffer
		a := start(t, server, func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		time.Sleep(time.Minute)
		err = a.HealthCheck(nil)
		for _, want := range []string{"failed to watch the map", "forbidden", "a role with create, get, list, watch", "namespace default"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the health check returns %v, want %q", err, want)
			}
		}
		if n := strings.Count(log.String(), "Failed to watch the group"); n != 1 {
			t.Errorf("the error was logged %d times", n)
		}
		injected.Remove()
		time.Sleep(2 * time.Minute)
		if err := a.HealthCheck(nil); err != nil || len(a.Owned()) != 12 {
			t.Errorf("it owns %d of 12 shards when it may watch again, with error %v", len(a.Owned()), err)
		}
		a.stop(t)
	})
}

func TestLeasesThatMustNotBeDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		fault, err := apitest.ParseFault("delete leases: 403")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := server.Inject(fault); err != nil {
			t.Fatal(err)
		}
		var log safeBuffer
		a := start(t, server, func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		time.Sleep(20 * time.Second)
		for range 2 {
			b := start(t, server, nil)
			time.Sleep(20 * time.Second)
			b.stop(t)
		}
		time.Sleep(time.Minute)
		if text := log.String(); strings.Count(text, "Leases of former members stay") != 1 || !strings.Contains(text, "delete of leases") {
			t.Errorf("the log is %s", text)
		}
		a.stop(t)
	})
}

// Clients of RESTConfig write while the process is a member, and not before and after that.
func TestRESTConfigRefusesWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		g, err := New(Config{Name: "pods", Namespace: "default", REST: server.RESTConfig(), Shards: 2})
		if err != nil {
			t.Fatal(err)
		}
		core, err := coreclient.NewForConfig(g.RESTConfig())
		if err != nil {
			t.Fatal(err)
		}
		write := func(name string) error {
			_, err := core.ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
			return err
		}
		if err := write("before"); err == nil || !strings.Contains(err.Error(), "no election and no group has opened") {
			t.Errorf("a write before Run: %v", err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- g.Run(ctx) }()
		time.Sleep(20 * time.Second)
		if err := write("member"); err != nil {
			t.Error(err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := write("after"); err == nil {
			t.Error("a write of a process that has left the group was sent")
		}
		if _, err := core.ConfigMaps("default").Get(t.Context(), "member", metav1.GetOptions{}); err != nil {
			t.Errorf("a read of a process that has left the group: %v", err)
		}
	})
}

func TestStamp(t *testing.T) {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}}
	if err := Stamp(t.Context(), cm); err == nil || len(cm.Annotations) > 0 {
		t.Errorf("without an epoch: %v", err)
	}
	ctx := context.WithValue(t.Context(), epochKey{}, int64(7))
	for _, tt := range []struct{ has, want string }{{"", ""}, {"6", ""}, {"7", ""}, {"8", "ns/a has epoch 8, and this member works at 7"}, {"x", `of ns/a is "x"`}} {
		if cm.Annotations = nil; tt.has != "" {
			cm.Annotations = map[string]string{EpochAnnotation: tt.has}
		}
		err := Stamp(ctx, cm)
		switch now := cm.Annotations[EpochAnnotation]; {
		case tt.want == "" && (err != nil || now != "7"):
			t.Errorf("epoch %q became %q: %v", tt.has, now, err)
		case tt.want != "" && (!contains(err, tt.want) || now != tt.has || errors.Is(err, ErrLaterOwner) != (tt.has == "8")):
			t.Errorf("epoch %q became %q: %v", tt.has, now, err)
		}
	}
}

// A map of a later version of this package stops nothing and begins nothing, and says so.
func TestAMapOfAnotherVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		_, err := server.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "pods", Namespace: "default"}, Data: map[string]string{mapKey: `{"version":2}`}})
		if err != nil {
			t.Fatal(err)
		}
		a := start(t, server, nil)
		time.Sleep(20 * time.Second)
		if err := a.HealthCheck(nil); !contains(err, "the map has version 2, this program knows 1") || len(a.Owned()) > 0 {
			t.Errorf("it owns %v, and its health is %v", a.Owned(), err)
		}
		a.stop(t)
	})
}
