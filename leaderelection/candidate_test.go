package leaderelection

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/fence"
	"vedette.dev/kubernetes"
)

var candidates = coordinationv1beta1.SchemeGroupVersion.WithResource("leasecandidates")

// candidacy is a candidate that runs, its object, and its requests.
type candidacy struct {
	t      *testing.T
	server *apitest.Server
	link   *writeLog
	sync   CacheSyncWaiter
	cancel context.CancelFunc
	done   chan struct{}
}

// writeLog counts writes, and fails them while failing.
type writeLog struct {
	base    http.RoundTripper
	writes  atomic.Int64
	failing atomic.Bool
}

func (l *writeLog) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost || r.Method == http.MethodPut {
		l.writes.Add(1)
		if l.failing.Load() {
			return nil, io.ErrUnexpectedEOF
		}
	}
	return l.base.RoundTrip(r)
}

// newServer returns a server that also serves kinds which are off by default, as leasecandidates are.
func newServer(t *testing.T) *apitest.Server {
	return apitest.New(t, apitest.Config{InProcess: true, Lenient: true})
}

// stand runs a candidate through a closed gate.
func stand(t *testing.T, server *apitest.Server, version string) *candidacy {
	t.Helper()
	config := server.RESTConfig()
	c := &candidacy{t: t, server: server, link: &writeLog{base: config.Transport}, done: make(chan struct{})}
	config.Transport = c.link
	var gate fence.Gate
	config.Wrap(gate.Wrap)
	candidate, sync, err := NewCandidate(kubernetes.NewForConfigOrDie(config), "default", "a", "election", version, "1.36.0", coordinationv1.OldestEmulationVersion)
	if err != nil {
		t.Fatal(err)
	}
	c.sync = sync
	ctx, cancel := context.WithCancel(t.Context())
	c.cancel = cancel
	go func() {
		defer close(c.done)
		candidate.Run(ctx)
	}()
	t.Cleanup(c.stop)
	return c
}

func (c *candidacy) stop() {
	c.cancel()
	<-c.done
}

func (c *candidacy) object() *coordinationv1beta1.LeaseCandidate {
	c.t.Helper()
	object, err := c.server.Get(context.Background(), candidates, "default", "a")
	if err != nil {
		c.t.Fatal(err)
	}
	return object.(*coordinationv1beta1.LeaseCandidate)
}

// ping asks for a renewal, as a server does whose clock is ahead.
func (c *candidacy) ping(ahead time.Duration) {
	c.t.Helper()
	object := c.object()
	object.Spec.PingTime = &metav1.MicroTime{Time: time.Now().Add(ahead)}
	if _, err := c.server.Update(context.Background(), object); err != nil {
		c.t.Fatal(err)
	}
}

// wantWrites checks how many writes there were since it was called last.
func (c *candidacy) wantWrites(n int64) {
	c.t.Helper()
	if got := c.link.writes.Swap(0); got != n {
		c.t.Errorf("after %v there were %d writes, want %d", sinceStart(), got, n)
	}
}

func (c *candidacy) wantRenewed(at time.Time) {
	c.t.Helper()
	if spec := c.object().Spec; spec.RenewTime == nil || !spec.RenewTime.Equal(&metav1.MicroTime{Time: at}) {
		c.t.Errorf("after %v: renewed at %v, want %v", sinceStart(), spec.RenewTime, at)
	}
}

func TestCandidate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := stand(t, newServer(t), "1.37.0")
		began := time.Now()
		sleep(time.Second)
		want := coordinationv1beta1.LeaseCandidateSpec{
			LeaseName: "election", BinaryVersion: "1.37.0", EmulationVersion: "1.36.0", Strategy: coordinationv1.OldestEmulationVersion,
		}
		got := c.object().Spec
		got.RenewTime = nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("created %+v, want %+v", got, want)
		}
		c.wantRenewed(began)
		c.wantWrites(1)

		sleep(candidateRenewal)
		c.wantRenewed(began.Add(candidateRenewal))
		c.wantWrites(1)

		sleep(time.Minute)
		c.ping(0)
		sleep(time.Second)
		c.wantRenewed(time.Now().Add(-time.Second))
		c.wantWrites(1)

		c.ping(time.Minute) // as if renewed when it was asked to
		sleep(time.Second)
		c.wantRenewed(time.Now().Add(time.Minute - time.Second))
		c.wantWrites(1)

		if err := c.server.Delete(t.Context(), c.object(), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		sleep(time.Second)
		c.wantRenewed(time.Now().Add(-time.Second))
		c.wantWrites(1)
	})
}

// An object of an earlier version of the program is updated.
func TestCandidateTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		old := stand(t, server, "1.36.0")
		sleep(time.Second)
		uid := old.object().UID
		old.stop()
		c := stand(t, server, "1.37.0")
		sleep(time.Second)
		if o := c.object(); o.Spec.BinaryVersion != "1.37.0" || o.UID != uid {
			t.Errorf("%+v", o)
		}
		c.wantWrites(1)
	})
}

// Failed writes are repeated, less and less often.
func TestCandidateRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := stand(t, newServer(t), "1.37.0")
		c.link.failing.Store(true)
		sleep(time.Hour)
		if n := c.link.writes.Load(); n < 100 || n > 140 {
			t.Errorf("%d writes in an hour, want one in 30 s", n)
		}
		c.link.failing.Store(false)
		sleep(candidateMaxBackoff)
		c.object()
	})
}

func TestCandidateSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan struct{})
		close(closed)
		server := newServer(t)
		c := stand(t, server, "1.37.0")
		kind := reflect.TypeFor[*coordinationv1beta1.LeaseCandidate]()
		if got := c.sync.WaitForCacheSync(nil); !got[kind] || len(got) != 1 {
			t.Errorf("%v", got)
		}
		if got := c.sync.WaitForCacheSync(closed); !got[kind] {
			t.Errorf("with a closed channel: %v", got)
		}
		_, idle, err := NewCandidate(kubernetes.NewForConfigOrDie(server.RESTConfig()), "default", "b", "election", "1.37.0", "1.37.0", coordinationv1.OldestEmulationVersion)
		if err != nil {
			t.Fatal(err)
		}
		if got := idle.WaitForCacheSync(closed); got[kind] || len(got) != 1 {
			t.Errorf("before Run: %v", got)
		}
	})
}

func TestNewCandidateValidates(t *testing.T) {
	client := kubernetes.NewForConfigOrDie(newServer(t).RESTConfig())
	for _, c := range []struct {
		client      kubernetes.Interface
		name, lease string
	}{{nil, "a", "election"}, {client, "", "election"}, {client, "a", ""}} {
		if _, _, err := NewCandidate(c.client, "default", c.name, c.lease, "1.37.0", "1.37.0", coordinationv1.OldestEmulationVersion); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
