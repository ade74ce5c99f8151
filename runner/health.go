package runner

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/internal/httpguard"
)

// checks are health checks by name.
type checks struct {
	named  map[string]func() error
	logger *slog.Logger
	// path is where they are served.
	path string

	mu sync.Mutex
	// failing has the last error of each check that fails.
	failing map[string]string
}

// consolePath is the path of the live page.
const consolePath = "/debug/vedette/"

func (r *runner) serveHealth(mux *http.ServeMux) {
	for path, named := range map[string]map[string]func() error{"/healthz": r.healthChecks(), "/readyz": r.readyChecks()} {
		c := &checks{named: named, logger: r.Logger, path: path, failing: map[string]string{}}
		c.serve(mux)
	}
	if r.Console != nil {
		mux.Handle(consolePath, r.Console)
	}
	if r.DebugEndpoints {
		guard := httpguard.New(httpguard.Config{Name: "/debug/", Otherwise: "as kubectl port-forward makes them"})
		mux.Handle("/debug/controllers", guard.Handler(http.HandlerFunc(r.debugControllers)))
		mux.Handle("/debug/explain", guard.Handler(http.HandlerFunc(r.debugExplain)))
	}
}

func (r *runner) healthChecks() map[string]func() error {
	c := map[string]func() error{"ping": func() error { return nil }}
	if r.election != nil {
		c["leader-election"] = func() error { return r.election.watchdog.Check(nil) }
	}
	maps.Copy(c, r.Health)
	return c
}

func (r *runner) readyChecks() map[string]func() error {
	c := make(map[string]func() error)
	for i, f := range r.Factories {
		if h, ok := f.(interface {
			HealthCheck(_ *http.Request) error
		}); ok {
			c[fmt.Sprintf("informers-%d", i)] = func() error { return h.HealthCheck(nil) }
		}
	}
	for i, informer := range r.Informers {
		c[fmt.Sprintf("informer-%d", i)] = func() error {
			state := cache.StateOf(informer)
			if state.Type == "" && informer.HasSynced() {
				return nil // it has no state
			}
			return state.Err()
		}
	}
	for _, one := range r.Controllers {
		c["controller-"+one.Name()] = func() error {
			if !r.working.Load() {
				return nil // another replica does the work; this one is ready to take over
			}
			return one.State().Err()
		}
	}
	if r.Group != nil {
		c["group"] = func() error { return r.Group.HealthCheck(nil) }
	}
	maps.Copy(c, r.Ready)
	return c
}

// serve serves all checks at their path, and each of them below it. Any client is answered: kubelets use the address of
// the pod as the host.
func (c *checks) serve(mux *http.ServeMux) {
	names := slices.Sorted(maps.Keys(c.named))
	mux.HandleFunc(c.path, func(w http.ResponseWriter, req *http.Request) { c.answer(w, req, names) })
	mux.HandleFunc(c.path+"/{name...}", func(w http.ResponseWriter, req *http.Request) {
		name := req.PathValue("name")
		if c.named[name] == nil {
			http.Error(w, fmt.Sprintf("unknown check %q; known are %s", name, strings.Join(names, ", ")), http.StatusNotFound)
			return
		}
		c.answer(w, req, []string{name})
	})
}

// answer writes which of the named checks fail. Their errors are logged, but not written: they contain names of objects
// and addresses, and any client may ask.
func (c *checks) answer(w http.ResponseWriter, req *http.Request, names []string) {
	var text strings.Builder
	failed := false
	for _, name := range names {
		if err := c.run(name); err != nil {
			failed = true
			fmt.Fprintf(&text, "[-]%s failed: reason logged\n", name)
		} else {
			fmt.Fprintf(&text, "[+]%s ok\n", name)
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if failed {
		w.WriteHeader(http.StatusServiceUnavailable)
	} else if _, verbose := req.URL.Query()["verbose"]; !verbose {
		fmt.Fprint(w, "ok")
		return
	}
	fmt.Fprint(w, text.String())
}

// run runs a check, and logs its error if it has changed. A check that panics has failed.
func (c *checks) run(name string) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v", value)
		}
		c.note(name, err)
	}()
	return c.named[name]()
}

func (c *checks) note(name string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, failed := c.failing[name]
	switch {
	case err != nil && (!failed || last != err.Error()):
		c.failing[name] = err.Error()
		c.logger.Warn("Health check failed", "path", c.path, "check", name, "err", err)
	case err == nil && failed:
		delete(c.failing, name)
		c.logger.Info("Health check passes again", "path", c.path, "check", name)
	}
}

func (r *runner) debugControllers(w http.ResponseWriter, _ *http.Request) {
	states := make([]controller.State, len(r.Controllers))
	for i, c := range r.Controllers {
		states[i] = c.State()
	}
	writeJSON(w, states)
}

// debugExplain serves the explanation of a key: as JSON, or as text with format=text.
func (r *runner) debugExplain(w http.ResponseWriter, req *http.Request) {
	query := req.URL.Query()
	name, key := query.Get("controller"), query.Get("key")
	i := slices.IndexFunc(r.Controllers, func(c Controller) bool { return c.Name() == name || name == "" && len(r.Controllers) == 1 })
	if i < 0 {
		var names []string
		for _, c := range r.Controllers {
			names = append(names, c.Name())
		}
		http.Error(w, fmt.Sprintf("unknown controller %q; known are %s", name, strings.Join(names, ", ")), http.StatusNotFound)
		return
	}
	e, err := r.Controllers[i].ExplainString(key)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	case query.Get("format") == "text":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		fmt.Fprint(w, e)
	default:
		writeJSON(w, e)
	}
}

func writeJSON(w http.ResponseWriter, value any) {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(text, '\n'))
}
