package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/flowcontrol"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
)

var (
	one   = cache.NewObjectName("default", "one")
	other = cache.NewObjectName("default", "other")
)

// hold is a reconciler that does not return for some keys, until its context ends.
func hold(keys ...cache.ObjectName) func(context.Context, cache.ObjectName) (Result, error) {
	return func(ctx context.Context, key cache.ObjectName) (Result, error) {
		for _, k := range keys {
			if k == key {
				<-ctx.Done()
			}
		}
		return Result{}, ctx.Err()
	}
}

// answer is a reconciler that always says the same.
func answer(result Result, err error) func(context.Context, cache.ObjectName) (Result, error) {
	return func(context.Context, cache.ObjectName) (Result, error) { return result, err }
}

// obstacle is something that keeps a key from being done, and what Explain must say of it.
type obstacle struct {
	name string
	// seed brings it about. The key is default/one.
	seed  func(c *cluster)
	stage Stage
	// because has words that the explanation must have.
	because []string
}

func (c *cluster) plain(reconcile func(context.Context, cache.ObjectName) (Result, error)) {
	c.run(Config[cache.ObjectName]{Sources: names{For(c.maps())}, Reconcile: reconcile, StopTimeout: -1})
	time.Sleep(time.Second)
}

// slowClient is a client that waits a minute between two requests.
func (c *cluster) slowClient() kubernetes.Interface {
	config := rest.CopyConfig(c.server.RESTConfig())
	config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(1.0/60, 1)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		c.t.Fatal(err)
	}
	return client
}

var obstacles = []obstacle{
	{
		name:    "nobody has started the controller",
		seed:    func(c *cluster) { c.prepare(Config[cache.ObjectName]{Sources: names{For(c.maps())}}) },
		stage:   StageNotRunning,
		because: []string{"idle", "leader"},
	},
	{
		name: "the controller has stopped",
		seed: func(c *cluster) {
			c.create("one")
			c.plain(nil)
			c.cancel()
			time.Sleep(time.Second)
		},
		stage:   StageNotRunning,
		because: []string{"stopped"},
	},
	{
		name: "nobody has started the informer",
		seed: func(c *cluster) {
			c.prepare(Config[cache.ObjectName]{Sources: names{For(c.maps())}})
			go func() { c.err <- c.Run(c.ctx) }()
			time.Sleep(time.Second)
		},
		stage:   StageNotWatched,
		because: []string{"v1.ConfigMap", "idle"},
	},
	{
		name: "the list is forbidden",
		seed: func(c *cluster) {
			c.inject("list,watch configmaps: 403")
			c.plain(nil)
		},
		stage:   StageNotWatched,
		because: []string{"v1.ConfigMap", "forbidden"},
	},
	{
		name: "the list does not come to an end",
		seed: func(c *cluster) {
			c.inject("list,watch configmaps: slow delay=1h")
			c.plain(nil)
		},
		stage:   StageNotWatched,
		because: []string{"has not synced yet"},
	},
	{
		name: "the watch fails again and again",
		seed: func(c *cluster) {
			c.create("one")
			c.plain(nil)
			c.inject("list,watch configmaps: 500")
			c.server.CutConnections()
			time.Sleep(20 * time.Second)
		},
		stage:   StageNotWatched,
		because: []string{"failing since", "leader changed"},
	},
	{
		name: "the object cannot be decoded",
		seed: func(c *cluster) {
			c.inject("watch configmaps name=one: garbage")
			c.plain(nil)
			c.create("one")
			time.Sleep(time.Second)
		},
		stage:   StageNotWatched,
		because: []string{"default/one", "cannot be decoded"},
	},
	{
		name: "another source is not ready",
		seed: func(c *cluster) {
			c.create("one")
			c.run(Config[cache.ObjectName]{Sources: names{For(c.maps()), lazy{}}})
			time.Sleep(time.Second)
		},
		stage:   StageNotReady,
		because: []string{"not ready: lazy"},
	},
	{
		name:    "there is no such object",
		seed:    func(c *cluster) { c.plain(nil) },
		stage:   StageUnknown,
		because: []string{"no source has an object of this name"},
	},
	{
		name: "a predicate blocks",
		seed: func(c *cluster) {
			blocked := make(chan struct{})
			context.AfterFunc(c.ctx, func() { close(blocked) })
			c.run(Config[cache.ObjectName]{Sources: names{For(c.maps(), func(e Event[*corev1.ConfigMap]) bool {
				if e.Name == other {
					<-blocked
				}
				return true
			})}})
			time.Sleep(time.Second)
			c.create("other")
			c.create("one")
			time.Sleep(5 * time.Second)
		},
		stage:   StageNotDelivered,
		because: []string{"1 notification waiting for delivery", "has not returned since"},
	},
	{
		name: "a predicate leaves it out",
		seed: func(c *cluster) {
			c.run(Config[cache.ObjectName]{Sources: names{For(c.maps(), func(e Event[*corev1.ConfigMap]) bool { return e.Name != one })}})
			c.create("one")
			time.Sleep(time.Second)
		},
		stage:   StageFiltered,
		because: []string{"for v1.ConfigMap", "filtered"},
	},
	{
		name: "a predicate leaves out the last change",
		seed: func(c *cluster) {
			c.run(Config[cache.ObjectName]{Sources: names{For(c.maps(), GenerationChanged[*corev1.ConfigMap]())}})
			time.Sleep(time.Second)
			m := c.create("one")
			time.Sleep(time.Second)
			c.update(m, setData("new"))
			time.Sleep(time.Second)
		},
		stage:   StageFiltered,
		because: []string{"updated", "ended with: success"},
	},
	{
		name: "all workers hang",
		seed: func(c *cluster) {
			c.create("other")
			c.plain(hold(other))
			c.create("one")
			time.Sleep(time.Second)
		},
		stage:   StageWaiting,
		because: []string{"1 of 1 workers are busy", "default/other"},
	},
	{
		name: "its reconcile hangs",
		seed: func(c *cluster) {
			c.create("one")
			c.plain(hold(one))
		},
		stage:   StageWorking,
		because: []string{"being reconciled by worker 1 of 1"},
	},
	{
		name: "its reconcile hangs, and it was asked for again",
		seed: func(c *cluster) {
			m := c.create("one")
			c.plain(hold(one))
			c.update(m, setData("new"))
			time.Sleep(time.Second)
		},
		stage:   StageWorking,
		because: []string{"being reconciled by worker 1 of 1"},
	},
	{
		name: "the client is throttled",
		seed: func(c *cluster) {
			client := c.slowClient()
			c.create("one")
			c.plain(func(ctx context.Context, key cache.ObjectName) (Result, error) {
				for range 2 {
					if _, err := client.CoreV1().ConfigMaps(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{}); err != nil {
						return Result{}, err
					}
				}
				return Result{}, nil
			})
		},
		stage:   StageThrottled,
		because: []string{"GET", "configmaps/one"},
	},
	{
		name: "the server does not answer",
		seed: func(c *cluster) {
			c.inject("get configmaps: slow delay=1h")
			c.create("one")
			c.plain(func(ctx context.Context, key cache.ObjectName) (Result, error) {
				_, err := c.client.CoreV1().ConfigMaps(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
				return Result{}, err
			})
		},
		stage:   StageRequesting,
		because: []string{"GET", "configmaps/one"},
	},
	{
		name: "it fails for ever",
		seed: func(c *cluster) {
			c.create("one")
			c.plain(answer(Result{}, errors.New("the disk is full")))
			time.Sleep(time.Hour)
		},
		stage:   StageBackingOff,
		because: []string{"times in a row", "error"},
	},
	{
		name: "it panics for ever",
		seed: func(c *cluster) {
			c.create("one")
			c.plain(func(context.Context, cache.ObjectName) (Result, error) { panic("oh dear") })
			time.Sleep(time.Hour)
		},
		stage:   StageBackingOff,
		because: []string{"times in a row", "panic"},
	},
	{
		name: "it runs out of time",
		seed: func(c *cluster) {
			c.create("one")
			c.run(Config[cache.ObjectName]{Sources: names{For(c.maps())}, Reconcile: hold(one), Timeout: time.Second, StopTimeout: -1})
			time.Sleep(time.Minute + 500*time.Millisecond)
			for c.Explain(one).Stage == StageWorking {
				time.Sleep(100 * time.Millisecond)
			}
		},
		stage:   StageBackingOff,
		because: []string{"times in a row", "timeout"},
	},
	{
		name: "its error is terminal",
		seed: func(c *cluster) {
			c.create("one")
			c.plain(answer(Result{}, Terminal(errors.New("no such size"))))
		},
		stage:   StageGivenUp,
		because: []string{"terminal error"},
	},
	{
		name: "it wants to come later",
		seed: func(c *cluster) {
			c.create("one")
			c.plain(answer(Result{RequeueAfter: time.Hour}, nil))
		},
		stage:   StageDelayed,
		because: []string{"RequeueAfter"},
	},
	{
		name: "it wants to have come before",
		seed: func(c *cluster) {
			c.create("one")
			c.plain(answer(Result{RequeueAfter: -time.Hour}, nil))
			time.Sleep(time.Hour)
		},
		stage:   StageBackingOff,
		because: []string{"negative RequeueAfter"},
	},
	{
		name: "it was done, and forgot to ask for more",
		seed: func(c *cluster) {
			c.create("one")
			c.plain(nil)
		},
		stage:   StageDone,
		because: []string{"success", "no event since"},
	},
	{
		name: "hot key",
		seed: func(c *cluster) {
			m := c.create("one")
			c.plain(nil)
			for i := range 40 {
				m = c.update(m, setData(fmt.Sprint(i)))
				time.Sleep(time.Second)
			}
		},
		stage:   StageDone,
		because: []string{"hot key"},
	},
}

// lazy is a source that is never ready.
type lazy struct{}

func (lazy) String() string { return "lazy" }
func (lazy) Run(ctx context.Context, _ Enqueuer[cache.ObjectName], _ func()) error {
	<-ctx.Done()
	return nil
}

func TestExplainNamesTheStage(t *testing.T) {
	for _, o := range obstacles {
		t.Run(o.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t)
				o.seed(c)
				e := c.Explain(one)
				if e.Stage != o.stage {
					t.Errorf("the stage is %q, want %q", e.Stage, o.stage)
				}
				for _, words := range o.because {
					if !strings.Contains(e.Because, words) {
						t.Errorf("%q does not say %q", e.Because, words)
					}
				}
				if t.Failed() {
					t.Log(e)
				}
				if _, err := json.Marshal(e); err != nil {
					t.Error(err)
				}
				c.cancel()
				if c.began.Load() != 0 {
					<-c.err
				}
				c.factory.Shutdown()
			})
		})
	}
}

// The times in the records add up to the wall time, from the event to the end of the reconcile.
func TestTheRecordsAddUp(t *testing.T) {
	bubble(t, func(c *cluster) {
		c.create("other")
		c.run(Config[cache.ObjectName]{
			Sources: names{For(c.maps())},
			Reconcile: func(_ context.Context, key cache.ObjectName) (Result, error) {
				time.Sleep(7 * time.Second)
				return Result{}, nil
			},
		})
		time.Sleep(time.Second)
		created := time.Now()
		c.create("one")
		time.Sleep(time.Minute)
		h := c.Explain(one).History
		if len(h) != 2 {
			t.Fatalf("the history is %v", h)
		}
		began := h[1].At.Add(-h[1].Took)
		waited := began.Sub(h[0].At)
		if total := h[1].At.Sub(created); (waited+h[1].Took-total).Abs() > time.Millisecond || total != 13*time.Second {
			t.Errorf("waited %v and worked %v, which is not %v (want 13s)", waited, h[1].Took, total)
		}
	})
}

func TestLastWords(t *testing.T) {
	bubble(t, func(c *cluster) {
		c.create("one")
		var mended atomic.Bool
		c.run(Config[cache.ObjectName]{
			Sources: names{For(c.maps())},
			Reconcile: func(context.Context, cache.ObjectName) (Result, error) {
				if !mended.Load() {
					return Result{}, errors.New("the disk is full")
				}
				return Result{}, nil
			},
		})
		time.Sleep(time.Second)
		synctest.Wait()
		e := c.Explain(one)
		if e.LastError != "the disk is full" || e.Failures < 2 || !strings.Contains(e.String(), "last error: the disk is full") {
			t.Errorf("got %+v", e)
		}
		mended.Store(true)
		time.Sleep(time.Hour)
		if e := c.Explain(one); e.LastError != "" || e.Failures != 0 || e.Stage != StageDone {
			t.Errorf("after success: %v", e)
		}
	})
}

func TestWithoutRecords(t *testing.T) {
	bubble(t, func(c *cluster) {
		c.create("one")
		c.run(Config[cache.ObjectName]{Sources: names{For(c.maps())}, Records: -1})
		time.Sleep(time.Second)
		if e := c.Explain(one); e.Stage != StageDone || len(e.History) != 0 || c.records != nil {
			t.Errorf("got %v", e)
		}
	})
}
