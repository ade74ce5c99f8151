package testenv

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vedette.dev/testenv/internal/controlplane"
	"vedette.dev/testenv/internal/process"
)

// apiServer is the one API server, which may be dead and alive several times.
type apiServer struct {
	mu      sync.Mutex // held while it is being started or stopped
	address string     // the same for all its lives
	url     string
	// process is nil from when the server was asked to end until it is started anew.
	process atomic.Pointer[process.Process]
}

// firstAPIServer finds the address. From then on it stays, as it is in configs that were handed out.
func (e *Env) firstAPIServer(ctx context.Context) (err error) {
	for range portAttempts {
		if e.api.address, err = e.pickAddress(); err != nil {
			return err
		}
		e.api.url = "https://" + e.api.address
		if err = e.StartAPIServer(ctx); !errors.Is(err, errPortTaken) {
			return err
		}
	}
	return err
}

// StartAPIServer starts the API server after it was stopped, killed, or has died, and returns when it is ready. It has the
// address, the users and the data that it had before.
func (e *Env) StartAPIServer(ctx context.Context) error {
	e.api.mu.Lock()
	defer e.api.mu.Unlock()
	if p := e.api.process.Load(); p != nil && p.Failure() == nil {
		return fmt.Errorf("the API server is running (process %d): stop or kill it first", p.PID())
	}
	ctx, cancel := e.whileAlive(ctx)
	defer cancel()
	p, err := e.launch(ctx, process.Command{
		Name:   "kube-apiserver",
		Path:   e.programs.Path(controlplane.APIServer),
		Args:   e.apiServerArgs(),
		Log:    e.APIServerLog(),
		Output: e.cfg.Output,
	}, e.apiServerReady)
	if err != nil {
		return e.advise(err)
	}
	e.api.process.Store(p)
	return nil
}

func (e *Env) apiServerReady(ctx context.Context) error {
	_, err := e.fetch(ctx, http.MethodGet, e.api.url+"/readyz", nil)
	return err
}

// advise adds what to look at, if the API server ended by itself and was given what it does not get from us.
func (e *Env) advise(err error) error {
	given := append(e.cfg.featureGates(), e.cfg.APIServerArgs...)
	if len(given) == 0 || !errors.Is(err, process.ErrEnded) {
		return err
	}
	return fmt.Errorf("%w\ncheck Config.FeatureGates and Config.APIServerArgs, which gave it %s", err, strings.Join(given, " "))
}

// whileAlive is ctx, but ends with the environment too.
func (e *Env) whileAlive(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.life, func() { cancel(context.Cause(e.life)) })
	return ctx, func() { stop(); cancel(nil) }
}

// gracePeriod is how long the API server may take to end its requests. Watches end at once.
const gracePeriod = 10 * time.Second

// StopAPIServer asks the API server to end, as a node does that shuts down: it ends watches properly and finishes other
// requests. After ten seconds it is killed.
func (e *Env) StopAPIServer() {
	e.endAPIServer(func(p *process.Process) { p.Stop(gracePeriod) })
}

// KillAPIServer ends the API server with kill -9, as a crash does: connections break off.
func (e *Env) KillAPIServer() { e.endAPIServer((*process.Process).Kill) }

func (e *Env) endAPIServer(end func(*process.Process)) {
	e.api.mu.Lock()
	defer e.api.mu.Unlock()
	if p := e.api.process.Swap(nil); p != nil {
		// A server that ends politely waits five seconds for a connection of ours that was never used.
		e.http.CloseIdleConnections()
		end(p)
	}
}

// RestartAPIServer stops the API server and starts it anew. Its caches are empty then.
func (e *Env) RestartAPIServer(ctx context.Context) error {
	e.StopAPIServer()
	return e.StartAPIServer(ctx)
}

// Host is the URL of the API server.
func (e *Env) Host() string { return e.api.url }

// APIServerDone is closed when the API server that runs now has ended, for whatever reason. If none runs, it is closed.
func (e *Env) APIServerDone() <-chan struct{} {
	if p := e.api.process.Load(); p != nil {
		return p.Done()
	}
	closed := make(chan struct{})
	close(closed)
	return closed
}

// APIServerPID is the process of the API server, for signals; 0 if it was stopped or killed.
func (e *Env) APIServerPID() int {
	if p := e.api.process.Load(); p != nil {
		return p.PID()
	}
	return 0
}

// APIServerLog is the file that the API server writes to, through all its lives.
func (e *Env) APIServerLog() string { return filepath.Join(e.keeper.Dir(), "kube-apiserver.log") }

func (e *Env) apiServerArgs() []string {
	host, port, _ := net.SplitHostPort(e.api.address) // made by pickAddress
	args := []string{
		"--etcd-servers=" + e.etcd.url,
		"--bind-address=" + host,
		"--secure-port=" + port,
		// Without these, the server looks for an address of this machine that others can reach, and there may be none.
		"--advertise-address=" + host,
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--authorization-mode=RBAC",
		// It would make each pod wait for a token that no controller makes.
		"--disable-admission-plugins=ServiceAccount",
		"--allow-privileged=true",
		// Without it, a server that is asked to end waits for its watches, and they for the server.
		"--shutdown-watch-termination-grace-period=1s",
	}
	args = append(args, e.access.serverArgs(e.keeper.Dir())...)
	args = append(args, e.cfg.featureGates()...)
	return append(args, e.cfg.APIServerArgs...)
}
