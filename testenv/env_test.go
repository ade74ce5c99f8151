//go:build unix

package testenv

import (
	"context"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"vedette.dev/testenv/internal/process"
)

func TestStartAndStopTwice(t *testing.T) {
	dir := tempFolder(t)
	for range 2 {
		began := time.Now()
		e := mustStart(t, Config{})
		t.Logf("started in %v", time.Since(began))
		if code, body := get(t, e, "/version"); code != http.StatusOK {
			t.Errorf("/version: %d %s", code, body)
		}
		pids := []int{e.APIServerPID(), e.etcd.process.PID()}
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
		for _, pid := range pids {
			if alive(pid) {
				t.Errorf("process %d is alive", pid)
			}
		}
		assertNothingLeft(t, dir)
		if err := e.Stop(); err != nil {
			t.Errorf("the second Stop: %v", err)
		}
	}
}

func TestSeveralAtOnce(t *testing.T) {
	var all sync.WaitGroup
	var envs [2]*Env
	var errs [2]error
	for i := range envs {
		all.Go(func() { envs[i], errs[i] = Start(t.Context(), Config{}) })
	}
	all.Wait()
	for i, e := range envs {
		if errs[i] != nil {
			t.Error(errs[i])
			continue
		}
		createConfigMap(t, e, "same-name") // which is taken if they share a store
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
	}
}

func TestBadFeatureGate(t *testing.T) {
	dir := tempFolder(t)
	_, err := Start(t.Context(), Config{FeatureGates: map[string]bool{"NoSuchGate": true}})
	wantError(t, err, nil,
		"kube-apiserver did not start: it ended: exit status 1",
		"unrecognized feature gate: NoSuchGate", // from its log
		"check Config.FeatureGates", "--feature-gates=NoSuchGate=true")
	assertNothingLeft(t, dir)
}

func TestInvalidConfig(t *testing.T) {
	_, err := Start(t.Context(), Config{
		FeatureGates:  map[string]bool{"A=true,B": true},
		APIServerArgs: []string{"--v=2", "-v=3", "--secure-port=443"},
		StartTimeout:  -time.Second,
	})
	wantError(t, err, nil, `Config.FeatureGates: "A=true,B"`, "Config.APIServerArgs[1]: \"-v=3\"",
		"Config.APIServerArgs[2]: --secure-port", "Config.StartTimeout")
}

// Each moment of the start is a good one to change one's mind.
func TestCancelledInMidStart(t *testing.T) {
	for name, moment := range map[string]string{
		"etcd begins":           `"level":"info"`,
		"the API server begins": "Version:",
		"the API server serves": "Serving securely",
	} {
		t.Run(name, func(t *testing.T) {
			dir := tempFolder(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := Start(ctx, Config{Output: whenSaid(moment, cancel)})
			wantError(t, err, context.Canceled, "did not start: context canceled", "the end of its log")
			assertNothingLeft(t, dir)
		})
	}
}

func TestStartTimeout(t *testing.T) {
	dir := tempFolder(t)
	_, err := Start(t.Context(), Config{StartTimeout: time.Millisecond})
	wantError(t, err, nil, "not ready after 1ms (Config.StartTimeout)")
	assertNothingLeft(t, dir)
}

// A port that is free when we look may be taken when the server binds it.
func TestPortTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	model := shared.Env(t)
	e, err := newEnv(Config{}, model.programs)
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	picks := 0
	e.pickAddress = func() (string, error) {
		// etcd's two, again as the first was taken, and the API server's, again for the same reason.
		if picks++; picks == 1 || picks == 5 {
			return taken.Addr().String(), nil
		}
		return freeAddress()
	}
	if err := e.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if picks != 6 {
		t.Errorf("%d addresses were picked, want 6", picks)
	}
}

// Of two environments that pick the same port for etcd, one must not use the other's.
func TestAnotherEtcdAnswers(t *testing.T) {
	e := shared.Env(t)
	impostor := &Env{http: e.http, etcd: etcd{name: "mine", url: e.EtcdURL()}}
	wantError(t, impostor.etcdReady(t.Context()), nil, "another etcd answers")
}

func TestDeadAPIServerIsNoticed(t *testing.T) {
	e := mustStart(t, Config{})
	createConfigMap(t, e, "kept")
	for range 2 {
		if err := syscall.Kill(e.APIServerPID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-e.APIServerDone()
		if err := e.StartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
		if code, body := get(t, e, configMaps+"/kept"); code != http.StatusOK {
			t.Errorf("the data is gone: %d %s", code, body)
		}
	}
	if err := syscall.Kill(e.APIServerPID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-e.APIServerDone()
	wantError(t, e.Stop(), nil, "kube-apiserver was found dead: it ended: signal: killed", "the end of its log")
}

func TestStopWhileStarting(t *testing.T) {
	dir := tempFolder(t)
	var e *Env
	stopped := make(chan error, 1)
	lives := 0
	e = mustStart(t, Config{Output: whenSaid("Version:", func() {
		if lives++; lives == 2 {
			go func() { stopped <- e.Stop() }()
		}
	})})
	e.KillAPIServer()
	wantError(t, e.StartAPIServer(t.Context()), process.ErrClosed)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	assertNothingLeft(t, dir)
	wantError(t, e.StartAPIServer(t.Context()), process.ErrClosed)
}

func TestFeatureGates(t *testing.T) {
	e := mustStart(t, Config{FeatureGates: map[string]bool{"ShardedListAndWatch": true}, APIServerArgs: []string{"--v=1"}})
	_, metrics := get(t, e, "/metrics")
	const on = `kubernetes_feature_enabled{name="ShardedListAndWatch",stage="ALPHA"} 1`
	if !contains(metrics, on) {
		t.Errorf("not in /metrics: %s", on)
	}
}
