package runner

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"vedette.dev/apitest"
	"vedette.dev/leaderelection"
)

// elected is a program that takes part in an election.
func elected(t *testing.T, server *apitest.Server) *program {
	p := newProgram(t, server)
	p.config.LeaderElect, p.config.LeaderElectResourceName, p.config.LeaderElectResourceNamespace = true, "work", "default"
	return p
}

func TestOneReplicaWorksAndAnotherTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		first, second := elected(t, server), elected(t, server)
		first.start()
		time.Sleep(time.Second)
		second.start()
		time.Sleep(time.Minute)
		create(t, server, "one")
		time.Sleep(time.Second)
		if !first.seen("default/one") || second.seen("default/one") {
			t.Errorf("the first saw it: %t, the second: %t", first.seen("default/one"), second.seen("default/one"))
		}
		// The second has its caches, and is ready.
		ready := &runner{Config: second.config}
		for name, check := range ready.readyChecks() {
			if err := check(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		began := time.Now()
		if err := first.end(); err != nil {
			t.Error(err)
		}
		for !second.seen("default/one") {
			time.Sleep(100 * time.Millisecond)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it took %v to take over from a leader that had given the lease back", took)
		}
		if err := second.end(); err != nil {
			t.Error(err)
		}
	})
}

func TestALostLeaseAbortsTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		create(t, server, "one")
		p := elected(t, server)
		var ended time.Time
		var cause error
		p.working = func(ctx context.Context) {
			<-ctx.Done()
			ended, cause = time.Now(), context.Cause(ctx)
		}
		p.start()
		time.Sleep(time.Minute)
		fault, err := apitest.ParseFault("get,update leases.coordination.k8s.io: 500")
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := server.Inject(fault); err != nil {
			t.Fatal(err)
		}
		if err := <-p.result; !errors.Is(err, leaderelection.ErrLost) {
			t.Errorf("got %v", err)
		}
		if took := ended.Sub(began); took > 10100*time.Millisecond || !errors.Is(cause, leaderelection.ErrLost) {
			t.Errorf("the reconcile was told after %v, because of %v", took, cause)
		}
		p.cancel()
	})
}

// The lease is kept while the work comes to its end after a stop; and if it is lost then, the work is aborted.
func TestALeaseLostWhileStopping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		create(t, server, "one")
		p := elected(t, server)
		var ended time.Time
		p.working = func(ctx context.Context) {
			<-ctx.Done()
			ended = time.Now()
		}
		p.start()
		time.Sleep(time.Minute)
		fault, err := apitest.ParseFault("get,update leases.coordination.k8s.io: 500")
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		p.cancel()
		time.Sleep(2 * time.Second)
		if _, err := server.Inject(fault); err != nil {
			t.Fatal(err)
		}
		<-p.result
		if took := ended.Sub(began); took > 13*time.Second {
			t.Errorf("the reconcile was told after %v, though its lease was lost", took)
		}
	})
}

func TestACandidateStopsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		first, second := elected(t, server), elected(t, server)
		first.start()
		time.Sleep(time.Second)
		second.start()
		time.Sleep(time.Minute)
		began := time.Now()
		if err := second.end(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
		if err := first.end(); err != nil {
			t.Error(err)
		}
	})
}
