package testenv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"vedette.dev/testenv/internal/binaries"
	"vedette.dev/testenv/internal/process"
)

// Env is a running API server with its store. Its methods may be called from several goroutines.
type Env struct {
	cfg      Config
	programs binaries.Set
	keeper   *process.Keeper
	access   access
	http     *http.Client // of an administrator, for what this package itself has to ask
	etcd     etcd
	api      apiServer

	// pickAddress finds an address for a server. Tests have it pick one that is taken.
	pickAddress func() (string, error)

	// life ends when Stop is called, which ends every wait for a server to start.
	life context.Context
	end  context.CancelCauseFunc

	stopping sync.Once
	stopErr  error
}

// Start builds the servers if they are not built yet, starts them, and returns when the API server is ready. Ending ctx
// cuts that short; it has no meaning afterwards. Call [Env.Stop] when done.
func Start(ctx context.Context, cfg Config) (*Env, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	cache, err := binaries.New(cfg.progress())
	if err != nil {
		return nil, err
	}
	programs, err := cache.Get(ctx)
	if err != nil {
		return nil, err
	}
	e, err := newEnv(cfg, programs)
	if err != nil {
		return nil, err
	}
	if err := e.start(ctx); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

func newEnv(cfg Config, programs binaries.Set) (*Env, error) {
	keeper, err := process.NewKeeper("vedette-testenv-")
	if err != nil {
		return nil, err
	}
	e := &Env{cfg: cfg, programs: programs, keeper: keeper, pickAddress: freeAddress}
	if cfg.Output != nil {
		e.cfg.Output = &lockedWriter{w: cfg.Output}
	}
	e.life, e.end = context.WithCancelCause(context.Background())
	return e, nil
}

func (e *Env) start(ctx context.Context) error {
	var err error
	if e.access, err = newAccess(); err != nil {
		return err
	}
	if e.http, err = e.access.httpClient(); err != nil {
		return err
	}
	if err := e.access.writeServerFiles(e.keeper.Dir()); err != nil {
		return err
	}
	if err := e.startEtcd(ctx); err != nil {
		return err
	}
	if err := e.firstAPIServer(ctx); err != nil {
		return err
	}
	return e.access.writeKubeconfig(e.Kubeconfig(), e.api.url)
}

// Stop ends the servers and removes their files. It returns an error if a server had already ended, although
// no caller had stopped it. Further calls do nothing and return the same error.
func (e *Env) Stop() error {
	e.stopping.Do(func() {
		e.end(process.ErrClosed)
		e.api.mu.Lock() // waits for a start or stop of the API server
		defer e.api.mu.Unlock()
		e.stopErr = errors.Join(e.diedAlone(), e.close())
		e.api.process.Store(nil)
	})
	return e.stopErr
}

func (e *Env) diedAlone() error {
	var errs []error
	for _, p := range []*process.Process{e.api.process.Load(), e.etcd.process} {
		if p == nil {
			continue
		}
		if err := p.Failure(); err != nil {
			errs = append(errs, fmt.Errorf("%s was found dead: %w", p.Name(), err))
		}
	}
	return errors.Join(errs...)
}

func (e *Env) close() error {
	e.end(process.ErrClosed)
	if e.http != nil {
		e.http.CloseIdleConnections()
	}
	return e.keeper.Close()
}

// lockedWriter lets two servers write to one place.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}
