package leaderelection

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/internal/clock/clocktest"
	"vedette.dev/kubernetes/typed/coordination/v1"
	rl "vedette.dev/leaderelection/resourcelock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The usual times.
const (
	lease = 15 * time.Second
	renew = 10 * time.Second
	retry = 2 * time.Second
)

// link is the way of one replica to the server.
type link struct {
	base  http.RoundTripper
	clock *clocktest.Clock
	// fate, if not nil, says what happens to a request.
	fate    func(*http.Request) fate
	pending sync.WaitGroup

	mu   sync.Mutex
	sent []string // methods
}

// fate is what happens to a request on its way.
type fate struct {
	there, back      time.Duration
	neverSent        bool // it is dropped; the client waits
	neverAnswered    bool // it takes effect, and the client waits
	refused, cutBack bool // the same two with an error at once
}

func (l *link) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
		_ = req.Body.Close()
	}
	l.mu.Lock()
	l.sent = append(l.sent, req.Method)
	var f fate
	if l.fate != nil {
		f = l.fate(req)
	}
	l.mu.Unlock()
	if f.refused {
		return nil, io.ErrUnexpectedEOF
	}
	type answer struct {
		response *http.Response
		err      error
	}
	answers := make(chan answer, 1)
	l.pending.Go(func() {
		time.Sleep(f.there)
		if f.neverSent {
			return
		}
		// What is on its way arrives, be the sender alive or not.
		arrived := req.Clone(context.WithoutCancel(req.Context()))
		arrived.Body = io.NopCloser(bytes.NewReader(body))
		response, err := l.base.RoundTrip(arrived)
		time.Sleep(f.back)
		if f.cutBack {
			response, err = nil, io.ErrUnexpectedEOF
		}
		if !f.neverAnswered {
			answers <- answer{response, err}
		}
	})
	select {
	case a := <-answers:
		if l.clock != nil {
			l.clock.Pass(nil)
		}
		return a.response, a.err
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
}

func (l *link) setFate(f func(*http.Request) fate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fate = f
}

// methods returns what was sent since the last call.
func (l *link) methods() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := strings.Join(l.sent, " ")
	l.sent = nil
	return s
}

func writes(f fate) func(*http.Request) fate {
	return func(r *http.Request) fate {
		if r.Method != http.MethodGet {
			return f
		}
		return fate{}
	}
}

func always(f fate) func(*http.Request) fate { return func(*http.Request) fate { return f } }

// replica is one that takes part, with what happened to it.
type replica struct {
	*LeaderElector
	clock  *clocktest.Clock
	link   *link
	lock   *rl.LeaseLock
	cancel context.CancelFunc
	done   chan struct{} // closed when Run has returned

	mu       sync.Mutex
	leading  context.Context // of the last OnStartedLeading
	since    time.Time
	ended    time.Time // when that context ended
	stopped  int       // calls of OnStoppedLeading
	leaders  []string  // what OnNewLeader heard
	panicked any
}

// election is a server with replicas.
type election struct {
	t      *testing.T
	server *apitest.Server
}

// newElection has a Lease that no replica has held.
func newElection(t *testing.T) *election {
	e := &election{t: t, server: apitest.New(t, apitest.Config{InProcess: true})}
	empty := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "election"}}
	if _, err := e.server.Create(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	return e
}

func bubble(t *testing.T, test func(t *testing.T, e *election)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newElection(t)) })
}

// add makes a replica, whose work lasts until its context ends. change may change its config.
func (e *election) add(identity string, change func(*LeaderElectionConfig)) *replica {
	e.t.Helper()
	r := &replica{clock: &clocktest.Clock{}, done: make(chan struct{})}
	config := e.server.RESTConfig()
	r.link = &link{base: config.Transport, clock: r.clock}
	config.Transport = r.link
	r.lock = &rl.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: "default", Name: "election"},
		Client:     v1.NewForConfigOrDie(config),
		LockConfig: rl.ResourceLockConfig{Identity: identity},
	}
	lec := LeaderElectionConfig{
		Lock: r.lock, LeaseDuration: lease, RenewDeadline: renew, RetryPeriod: retry, Name: "test",
		Callbacks: LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { <-ctx.Done() },
			OnStoppedLeading: func() {},
		},
	}
	if change != nil {
		change(&lec)
	}
	r.watch(&lec.Callbacks)
	le, err := NewLeaderElector(lec)
	if err != nil {
		e.t.Fatal(err)
	}
	le.clock = r.clock
	r.LeaderElector = le
	return r
}

// watch records the calls of the callbacks.
func (r *replica) watch(c *LeaderCallbacks) {
	started, stopped, heard := c.OnStartedLeading, c.OnStoppedLeading, c.OnNewLeader
	c.OnStartedLeading = func(ctx context.Context) {
		r.mu.Lock()
		r.leading, r.since, r.ended = ctx, time.Now(), time.Time{}
		r.mu.Unlock()
		context.AfterFunc(ctx, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.ended = time.Now()
		})
		started(ctx)
	}
	c.OnStoppedLeading = func() {
		r.mu.Lock()
		r.stopped++
		r.mu.Unlock()
		stopped()
	}
	c.OnNewLeader = func(identity string) {
		r.mu.Lock()
		r.leaders = append(r.leaders, identity)
		r.mu.Unlock()
		if heard != nil {
			heard(identity)
		}
	}
}

// start runs the replica until stop, or the end of the test.
func (e *election) start(r *replica) *replica {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	r.done = make(chan struct{})
	done := r.done
	go func() {
		defer close(done)
		defer func() { r.panicked = recover() }()
		r.Run(ctx)
	}()
	e.t.Cleanup(func() {
		cancel()
		<-done
		r.link.pending.Wait()
	})
	return r
}

// stop cancels Run and waits for it.
func (r *replica) stop() {
	r.cancel()
	<-r.done
}

// await waits for Run to return by itself.
func (r *replica) await(t *testing.T) {
	t.Helper()
	select {
	case <-r.done:
	case <-time.After(time.Hour):
		t.Fatalf("Run of %s does not return", r.identity)
	}
}

func (r *replica) stops() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopped
}

// context returns the context of the work.
func (r *replica) context() context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.leading
}

// sleep lets time pass, and everything happen that is due.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (e *election) lease() *coordinationv1.Lease {
	e.t.Helper()
	object, err := e.server.Get(context.Background(), coordinationv1.SchemeGroupVersion.WithResource("leases"), "default", "election")
	if err != nil {
		e.t.Fatal(err)
	}
	return object.(*coordinationv1.Lease)
}

// holder is who the lease says leads, and how often that has changed.
func (e *election) holder() (string, int) {
	e.t.Helper()
	record := rl.LeaseSpecToLeaderElectionRecord(&e.lease().Spec)
	return record.HolderIdentity, record.LeaderTransitions
}

func (e *election) wantHolder(identity string, transitions int) {
	e.t.Helper()
	if h, n := e.holder(); h != identity || n != transitions {
		e.t.Errorf("after %v the lease is held by %q, with %d transitions; want %q and %d", sinceStart(), h, n, identity, transitions)
	}
}

// edit changes the lease by hand.
func (e *election) edit(change func(*coordinationv1.Lease)) {
	e.t.Helper()
	l := e.lease()
	change(l)
	if _, err := e.server.Update(context.Background(), l); err != nil {
		e.t.Fatal(err)
	}
}

// sinceStart is the time of a bubble, which begins with the year 2000.
func sinceStart() time.Duration { return time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) }

func wantLeader(t *testing.T, r *replica, want bool) {
	t.Helper()
	if got := r.IsLeader(); got != want {
		t.Errorf("after %v IsLeader of %s is %v", sinceStart(), r.identity, got)
	}
}
