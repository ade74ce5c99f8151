package e2e

import (
	"context"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/kubernetes"
	"vedette.dev/leaderelection"
	"vedette.dev/leaderelection/resourcelock"
	"vedette.dev/testenv"
)

const (
	coordinatedLock  = "election"
	coordinatedLease = 5 * time.Second // the duration that the server gives a lease
	// coordinatedLimit is how long an election may take: the lease has to expire, the server asks the candidates and waits 5 s for their
	// answers, and it looks at a lease every 5 s.
	coordinatedLimit = time.Minute
)

// coordinatedElection is an election in which the API server chooses.
type coordinatedElection struct {
	client    *kubernetes.Clientset
	namespace string

	mu      sync.Mutex
	leading map[string]int // terms, by the names of those who lead
	terms   []int
	changed chan struct{} // closed, and made anew, with each change
	overlap bool
}

// coordinatedReplica is a candidate and its elector.
type coordinatedReplica struct {
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// start runs a replica that emulates a version. One that does not release is like one that crashes when it is stopped: its lease has to
// expire.
func (e *coordinatedElection) start(t *testing.T, name, emulated string, release bool) *coordinatedReplica {
	t.Helper()
	candidate, synced, err := leaderelection.NewCandidate(e.client, e.namespace, name, coordinatedLock, "1.37.0", emulated, coordinationv1.OldestEmulationVersion)
	if err != nil {
		t.Fatal(err)
	}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: e.namespace, Name: coordinatedLock},
			Client:     e.client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		},
		Name: coordinatedLock, Coordinated: true, ReleaseOnCancel: release,
		LeaseDuration: coordinatedLease, RenewDeadline: 3 * time.Second, RetryPeriod: 500 * time.Millisecond,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				term, _ := leaderelection.Term(ctx)
				e.change(func() {
					e.overlap = e.overlap || len(e.leading) > 0
					e.leading[name] = term
					e.terms = append(e.terms, term)
				})
				<-ctx.Done()
				e.change(func() { delete(e.leading, name) })
			},
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &coordinatedReplica{cancel: cancel}
	r.running.Go(func() { candidate.Run(ctx) })
	if !allSynced(synced.WaitForCacheSync(ctx.Done())) {
		t.Error("the candidate has not synced")
	}
	r.running.Go(func() {
		for ctx.Err() == nil {
			elector.Run(ctx)
		}
	})
	t.Cleanup(r.stop)
	return r
}

func allSynced[K comparable](synced map[K]bool) bool {
	for _, ok := range synced {
		if !ok {
			return false
		}
	}
	return len(synced) > 0
}

func (r *coordinatedReplica) stop() {
	r.cancel()
	r.running.Wait()
}

func (e *coordinatedElection) change(do func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	do()
	close(e.changed)
	e.changed = make(chan struct{})
}

// await waits until a replica leads, and checks that the Lease says so.
func (e *coordinatedElection) await(t *testing.T, name, when string) {
	t.Helper()
	began := time.Now()
	limit := time.After(coordinatedLimit)
	for {
		e.mu.Lock()
		_, leads := e.leading[name]
		changed := e.changed
		e.mu.Unlock()
		if leads {
			break
		}
		select {
		case <-changed:
		case <-limit:
			lease, err := e.client.CoordinationV1().Leases(e.namespace).Get(t.Context(), coordinatedLock, metav1.GetOptions{})
			candidates, _ := e.client.CoordinationV1beta1().LeaseCandidates(e.namespace).List(t.Context(), metav1.ListOptions{})
			t.Fatalf("%s: %s does not lead after %v; the lease is %+v (%v), the candidates are %+v", when, name, coordinatedLimit, lease, err, candidates)
		}
	}
	t.Logf("%s: %s leads after %v", when, name, time.Since(began).Round(100*time.Millisecond))
	lease, err := e.client.CoordinationV1().Leases(e.namespace).Get(t.Context(), coordinatedLock, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if holder := lease.Spec.HolderIdentity; holder == nil || *holder != name {
		t.Errorf("%s: the lease is %+v, want the holder %q", when, lease.Spec, name)
	}
	if strategy := lease.Spec.Strategy; strategy == nil || *strategy != coordinationv1.OldestEmulationVersion {
		t.Errorf("%s: the lease is %+v", when, lease.Spec)
	}
}

// The API server chooses the candidate that emulates the oldest version. It asks a leader to give way to it, and chooses another if it goes
// away, with or without a release.
func TestCoordinatedLeaderElection(t *testing.T) {
	t.Parallel()
	env := testenv.New(t, testenv.Config{
		FeatureGates:  map[string]bool{"CoordinatedLeaderElection": true},
		APIServerArgs: []string{"--runtime-config=coordination.k8s.io/v1beta1=true"},
	})
	config := env.RESTConfig()
	config.QPS = -1
	client, err := kubernetes.NewForConfig(closing(t, config))
	if err != nil {
		t.Fatal(err)
	}
	e := &coordinatedElection{client: client, namespace: newNamespace(t, client), leading: map[string]int{}, changed: make(chan struct{})}

	e.start(t, "new", "1.37.0", true)
	e.await(t, "new", "alone")

	old := e.start(t, "old", "1.36.0", true)
	e.await(t, "old", "an older version comes")

	old.stop()
	e.await(t, "new", "the leader was stopped")

	older := e.start(t, "older", "1.35.0", false)
	e.await(t, "older", "an older version comes again")

	older.stop()
	e.await(t, "new", "the leader does not renew any more")

	e.mu.Lock()
	defer e.mu.Unlock()
	if e.overlap {
		t.Error("two replicas led at the same time")
	}
	for i := range e.terms[1:] {
		if e.terms[i+1] <= e.terms[i] {
			t.Errorf("the terms are %v, want each greater than the one before", e.terms)
			break
		}
	}
}
