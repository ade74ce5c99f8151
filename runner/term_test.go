package runner

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/controller"
	"vedette.dev/fence"
	"vedette.dev/kubernetes"
	"vedette.dev/leaderelection"
)

func TestAReconcileKnowsItsTerm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		p := elected(t, server)
		contexts := make(chan context.Context, 1)
		p.working = func(ctx context.Context) { contexts <- ctx }
		create(t, server, "one")
		p.start()
		ctx := <-contexts
		_, known := leaderelection.Term(ctx)
		term := fence.From(ctx)
		if !known || term == nil || term.Err() != nil {
			t.Errorf("knows its term: %v, %v", known, term)
		}
		if err := p.end(); err != nil {
			t.Error(err)
		}
		if term == nil || !errors.Is(term.Err(), fence.ErrTermOver) {
			t.Error("the term goes on after Run has returned")
		}
	})
}

// writer writes with a client that has the gate, and with a context that knows nothing of the election.
type writer struct {
	gate   fence.Gate
	client kubernetes.Interface
}

func newWriter(t *testing.T, p *program) *writer {
	t.Helper()
	w := new(writer)
	config := p.server.RESTConfig()
	config.Wrap(w.gate.Wrap)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	w.client = client
	p.config.RESTConfig, p.config.Gate = config, &w.gate // the Lease is written with the same config
	return w
}

func (w *writer) write() error {
	_, err := w.client.CoreV1().ConfigMaps("default").Create(context.Background(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "written-"}}, metav1.CreateOptions{})
	return err
}

func (w *writer) read() error {
	_, err := w.client.CoreV1().ConfigMaps("default").List(context.Background(), metav1.ListOptions{})
	return err
}

// Whatever context a program writes with, its gate lets it do so only in a term: not while another replica leads, but while the work
// winds down after a stop, and not after that.
func TestTheGateFollowsTheElection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		server := apitest.New(t, apitest.Config{InMemory: true})
		create(t, server, "one")
		first, second := elected(t, server), elected(t, server)
		leader, standby := newWriter(t, first), newWriter(t, second)
		stopping := errors.New("was not asked")
		first.working = func(context.Context) { // it ends five seconds after the stop
			time.Sleep(time.Until(began.Add(50 * time.Second)))
			stopping = leader.write()
		}
		first.start()
		time.Sleep(30 * time.Second)
		second.start()
		time.Sleep(15 * time.Second)
		if err := leader.write(); err != nil {
			t.Errorf("the leader: %v", err)
		}
		if err := standby.write(); !errors.Is(err, fence.ErrNoTerm) {
			t.Errorf("the other: %v", err)
		}
		if err := standby.read(); err != nil {
			t.Errorf("the other cannot read: %v", err)
		}
		if err := first.end(); err != nil {
			t.Error(err)
		}
		if stopping != nil {
			t.Errorf("the leader, while it stops: %v", stopping)
		}
		if err := leader.write(); !errors.Is(err, fence.ErrTermOver) {
			t.Errorf("the leader, after it has stopped: %v", err)
		}
		time.Sleep(10 * time.Second)
		if err := standby.write(); err != nil {
			t.Errorf("the other, which leads now: %v", err)
		}
		if err := second.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestTheGateIsClosedWhenTheLeaseIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		p := elected(t, server)
		w := newWriter(t, p)
		p.start()
		time.Sleep(time.Minute)
		fault, err := apitest.ParseFault("get,update leases.coordination.k8s.io: 500")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := server.Inject(fault); err != nil {
			t.Fatal(err)
		}
		if err := <-p.result; !errors.Is(err, leaderelection.ErrLost) {
			t.Errorf("Run: %v", err)
		}
		if err := w.write(); !errors.Is(err, fence.ErrTermOver) || !errors.Is(err, leaderelection.ErrLost) {
			t.Errorf("got %v", err)
		}
		p.cancel()
	})
}

func TestTheGateIsOpenWithoutLeaderElection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		p := newProgram(t, server)
		w := newWriter(t, p)
		p.start()
		time.Sleep(time.Second)
		if err := w.write(); err != nil {
			t.Error(err)
		}
		if err := p.end(); err != nil {
			t.Error(err)
		}
		if err := w.write(); !errors.Is(err, fence.ErrTermOver) {
			t.Errorf("after Run: %v", err)
		}
	})
}

// A reconcile that ignores its context: the program stops within the 30 s that a pod has, and the lease is left to expire.
func TestAStuckReconcileUnderLeaderElection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		create(t, server, "one")
		p := elected(t, server)
		release, began := make(chan struct{}), make(chan struct{})
		p.working = func(context.Context) {
			close(began)
			<-release
		}
		p.start()
		<-began
		stopped := time.Now()
		err := p.end()
		if took := time.Since(stopped); !errors.Is(err, controller.ErrStopTimeout) || took > 27*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
		object, err := server.Get(t.Context(), coordinationv1.SchemeGroupVersion.WithResource("leases"), "default", "work")
		if err != nil {
			t.Fatal(err)
		}
		if holder := object.(*coordinationv1.Lease).Spec.HolderIdentity; holder == nil || *holder == "" {
			t.Error("the lease was given back though the reconcile runs")
		}
		close(release)
	})
}
