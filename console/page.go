//go:build !vedette_noconsole

package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vedette.dev/internal/httpguard"
)

// Page is the live page of a running program: an http.Handler. It has no goroutine of its own.
type Page struct {
	config  Config
	guard   *httpguard.Guard
	sampler *sampler
	changes *changeCounters
	// scan serializes requests that scan all objects of a store.
	scan sync.Mutex

	viewers atomic.Int64
	closed  chan struct{}
	close   func()
}

// Handler returns a page, to be mounted below a path of its own that ends with a slash. Without viewers it does
// nothing. It panics if the config is invalid, and names the field.
func Handler(config Config) *Page {
	if err := config.validate(); err != nil {
		panic(err.Error())
	}
	if config.Title == "" {
		config.Title = "Vedette"
	}
	guard := httpguard.New(httpguard.Config{
		Name: "the console", Otherwise: "unless it is given a token: set console.Config.Token", Token: config.Token, Cookie: "vedette_console",
	})
	p := &Page{config: config, guard: guard, changes: newChangeCounters(), closed: make(chan struct{})}
	p.sampler = newSampler(newReader(&p.config))
	p.close = sync.OnceFunc(func() { close(p.closed) })
	return p
}

// Run takes a sample every five seconds until the context ends, so that the charts have data before the first viewer
// comes. Without it, they start with the first viewer.
func (p *Page) Run(ctx context.Context) {
	ticker := time.NewTicker(background)
	defer ticker.Stop()
	for {
		p.sampler.sample(background)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Close disconnects all viewers, so that a server can shut down: http.Server.RegisterOnShutdown(page.Close). It may be
// called more than once.
func (p *Page) Close() { p.close() }

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	httpguard.Protect(w.Header())
	if !p.guard.Admit(w, r) {
		return
	}
	// All addresses are in one folder, so that relative links work wherever the page is mounted.
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	if asset, ok := assets()[name]; ok {
		asset.serve(w, r)
		return
	}
	v, ok := views()[name]
	if !ok {
		v = views()["missing"]
	}
	q := query{r.URL.Query()}
	switch {
	case q.Has("stream") && ok && v.live(q):
		p.stream(w, r, v, q)
	case q.Get("format") == "json" && v.json:
		p.serveJSON(w, v, q)
	default:
		p.servePage(w, v, q)
	}
}

// query is the query of a request for a view.
type query struct{ url.Values }

// errNotFound is wrapped by the error of a view that has nothing to show for an address.
var errNotFound = errors.New("not found")

func status(err error) int {
	switch {
	case err == nil:
		return http.StatusOK
	case errors.Is(err, errNotFound):
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

func (p *Page) servePage(w http.ResponseWriter, v *view, q query) {
	var text bytes.Buffer
	code := p.render(&text, v, q, "page")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(text.Bytes())
}

func (p *Page) serveJSON(w http.ResponseWriter, v *view, q query) {
	w.Header().Set("Content-Type", "application/json")
	data, err := v.data(p, q)
	if err != nil {
		data = map[string]string{"error": err.Error()}
	}
	text, wrong := json.MarshalIndent(data, "", "  ")
	if wrong != nil {
		http.Error(w, wrong.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(status(err))
	_, _ = w.Write(append(text, '\n'))
}
