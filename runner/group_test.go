package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/shard"
	"vedette.dev/shardgroup"
)

// replica is one of several programs that share the config maps.
type replica struct {
	group  *shardgroup.Group
	ready  func() error
	stop   context.CancelFunc
	result chan error
	log    *logged

	mu   sync.Mutex
	seen map[string]int
}

func (r *replica) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

func startReplica(t *testing.T, server *apitest.Server, working func(ctx context.Context)) *replica {
	t.Helper()
	r := &replica{result: make(chan error, 1), log: new(logged), seen: map[string]int{}}
	logger := slog.New(slog.NewTextHandler(r.log, nil))
	group, err := shardgroup.New(shardgroup.Config{
		Name: "maps", Namespace: "default", REST: server.RESTConfig(), Shards: 8, Key: shard.ByName(), Identity: "replica", Logger: logger,
	})
	if err != nil {
		t.Fatal(err)
	}
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.ConfigMap]{
		Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
		REST:     server.RESTConfig(), Source: group.Source(), Partial: true,
		Tweak: func(o *metav1.ListOptions) { o.LabelSelector = "work" },
	})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := shardgroup.Bind(group, informer)
	if err != nil {
		t.Fatal(err)
	}
	c, err := controller.New(controller.Config[cache.ObjectName]{
		Name: "maps", Owner: group,
		Sources: []controller.Source[cache.ObjectName]{keys, controller.For(informer)},
		Reconcile: func(ctx context.Context, key cache.ObjectName) (controller.Result, error) {
			working(ctx)
			r.mu.Lock()
			defer r.mu.Unlock()
			r.seen[key.String()]++
			return controller.Result{}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	config := Config{Informers: []cache.SharedIndexInformer{informer}, Controllers: []Controller{c}, Group: group, Logger: logger, KeepSignals: true}
	one := &runner{Config: config}
	r.group, r.ready = group, one.readyChecks()["group"]
	ctx, stop := context.WithCancel(t.Context())
	r.stop = stop
	go func() { r.result <- Run(ctx, config) }()
	return r
}

func createWork(t *testing.T, server *apitest.Server, prefix string) {
	t.Helper()
	for i := range 16 {
		_, err := server.Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", prefix, i), Namespace: "default", Labels: map[string]string{"work": ""}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Replicas of a group divide the work. One that is told to stop gives its shards away, ends what it has begun, and returns.
func TestReplicasShareTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		createWork(t, server, "first")
		var slow atomic.Bool
		a := startReplica(t, server, func(ctx context.Context) {
			if slow.Load() {
				time.Sleep(3 * time.Second)
				if err := ctx.Err(); err != nil {
					t.Errorf("the context of a reconcile that had begun ended: %v", err)
				}
			}
		})
		if err := a.ready(); err == nil {
			t.Error("a replica is ready before it has joined the group")
		}
		time.Sleep(30 * time.Second)
		if err := a.ready(); err != nil || a.count() != 16 {
			t.Errorf("the only replica has reconciled %d of 16 keys; readiness: %v", a.count(), err)
		}
		b := startReplica(t, server, func(context.Context) {})
		time.Sleep(30 * time.Second)
		if x, y := len(a.group.Owned()), len(b.group.Owned()); x+y != 8 || x < 2 || y < 2 { // they are divided by their objects
			t.Errorf("the replicas own %d and %d of 8 shards", x, y)
		}
		slow.Store(true)
		createWork(t, server, "second")
		time.Sleep(time.Second)
		began := time.Now()
		a.stop()
		if err := <-a.result; err != nil {
			t.Error(err)
		}
		if d := time.Since(began); d < time.Second || d > 30*time.Second {
			t.Errorf("the replica stopped after %v", d)
		}
		time.Sleep(5 * time.Second)
		if n := b.count(); n != 32 {
			t.Errorf("the replica that is left has reconciled %d of 32 keys", n)
		}
		b.stop()
		if err := <-b.result; err != nil {
			t.Error(err)
		}
	})
}

// A replica that is no longer a member stops, and says why.
func TestALostGroupStopsTheReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		a := startReplica(t, server, func(context.Context) {})
		time.Sleep(30 * time.Second)
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: a.group.Name()}}
		if err := server.Delete(t.Context(), lease, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		err := <-a.result
		if !errors.Is(err, shardgroup.ErrLost) || !strings.Contains(err.Error(), "runner: the group has ended: ") {
			t.Errorf("got %v", err)
		}
	})
}

// When a controller ends, the replica leaves the group, so that others take over.
func TestAControllerThatEndsLeavesTheGroup(t *testing.T) {
	group := &fakeGroup{joined: make(chan struct{})}
	broken := errors.New("broken")
	c := fakeController{run: func(context.Context) error {
		<-group.joined
		return broken
	}}
	err := Run(t.Context(), Config{Controllers: []Controller{c}, Group: group, KeepSignals: true})
	if !errors.Is(err, broken) || !group.left {
		t.Errorf("got %v; the group was left: %t", err, group.left)
	}
}

func TestGroupTakesThePlaceOfLeaderElection(t *testing.T) {
	p := newProgram(t, apitest.New(t, apitest.Config{}))
	p.config.Group, p.config.LeaderElect, p.config.LeaderElectResourceName = &fakeGroup{}, true, "lease"
	if err := Run(t.Context(), p.config); err == nil || !strings.Contains(err.Error(), "Config.Group") {
		t.Errorf("got %v", err)
	}
}

// fakeGroup is a group that is joined at once.
type fakeGroup struct {
	joined chan struct{}
	left   bool
}

func (g *fakeGroup) Run(ctx context.Context) error {
	close(g.joined)
	<-ctx.Done()
	g.left = true
	return nil
}

func (g *fakeGroup) HealthCheck(*http.Request) error { return nil }

// fakeController has no other methods than these.
type fakeController struct {
	Controller
	run func(ctx context.Context) error
}

func (fakeController) Name() string { return "fake" }

func (c fakeController) Run(ctx context.Context) error { return c.run(ctx) }
