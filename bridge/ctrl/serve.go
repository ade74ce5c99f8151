package ctrl

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// stopServer is how long requests may take when the cache stops.
const stopServer = 2 * time.Second

// serve adds a server that runs while the cache does.
func (c *Cache) serve(server *http.Server) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.started {
		return errors.New("bridge: ServeConsole must be called before the manager starts")
	}
	// controller-runtime listens as early. An error of Start would not end a manager that waits for its cache to sync.
	listener, err := net.Listen("tcp", server.Addr)
	if err != nil {
		return fmt.Errorf("bridge: cannot serve the console: %w", err)
	}
	c.servers = append(c.servers, consoleServer{server, listener})
	return nil
}

// Start implements cache.Cache: it runs the informers, and the servers of ServeConsole, until the context ends. A server that fails ends
// it.
func (c *Cache) Start(ctx context.Context) error {
	c.mu.Lock()
	c.started = true
	servers := c.servers
	c.mu.Unlock()
	if len(servers) == 0 {
		return c.Cache.Start(ctx)
	}
	running, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var serving sync.WaitGroup
	defer serving.Wait()
	for _, server := range servers {
		serving.Go(func() {
			if err := server.Serve(server.listener); !errors.Is(err, http.ErrServerClosed) {
				fail(fmt.Errorf("bridge: serving the console at %s: %w", server.Addr, err))
			}
		})
		defer server.stop()
	}
	err := c.Cache.Start(running)
	if ctx.Err() == nil {
		err = errors.Join(err, context.Cause(running)) // a server has failed
	}
	return err
}

// consoleServer is a server of ServeConsole.
type consoleServer struct {
	*http.Server
	listener net.Listener
}

// stop ends a server, and does not wait for long.
func (s consoleServer) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), stopServer)
	defer cancel()
	if s.Shutdown(ctx) != nil {
		_ = s.Close()
	}
}
