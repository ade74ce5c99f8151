package serve

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/patch"
	"vedette.dev/apitest/internal/storage"
)

// Config configures a Server.
type Config struct {
	Store    *storage.Store
	Registry *kinds.Registry
	Patcher  patch.Patcher

	// Authenticate returns the user of a bearer token. Authorize reports whether the request is allowed; nil means that
	// all are.
	Authenticate func(token string) (User, bool)
	Authorize    func(*Request) bool

	// Intercept, if set, is called for each allowed request before it is handled, and may handle it itself.
	Intercept func(*Request, http.ResponseWriter) (handled bool)
	// Frames, if set, may wrap the writer of a watch.
	Frames func(*Request, FrameWriter) FrameWriter

	// Controllers enables the namespace controller: namespaces that are deleted are emptied and removed.
	Controllers bool
	// CreateNamespaces creates a namespace when something is created in it.
	CreateNamespaces bool
	// ShardSelectors makes lists and watches support shardSelector.
	ShardSelectors bool
	// CBOR makes the server read and write application/cbor.
	CBOR bool
	// Lenient means that objects are stored unchanged: see lenient.go.
	Lenient bool
	// Unversioned means that a lenient server does not set the identity of objects either.
	Unversioned bool
}

// Server handles requests.
type Server struct {
	config Config
	store  *storage.Store

	stop    context.Context
	stopNow context.CancelFunc
	running sync.WaitGroup
	// starting prevents that goroutines are started while Close waits.
	starting sync.Mutex
	crds     sync.Mutex // one change of a definition at a time
	// lifetimes ends the watches of kinds whose definition was deleted.
	lifetimes lifetimes
	frames    frameCache
	issued    issued
}

// New returns a server. Close ends it.
func New(config Config) *Server {
	if config.Lenient {
		config.Patcher = config.Patcher.WithoutDefaults()
	}
	s := &Server{config: config, store: config.Store}
	s.stop, s.stopNow = context.WithCancel(context.Background())
	return s
}

// Close ends watches and all goroutines of the server, and waits for them.
func (s *Server) Close() {
	s.starting.Lock()
	s.stopNow()
	s.starting.Unlock()
	s.running.Wait()
}

// Go runs a function in a goroutine, which Close waits for. It returns false if the server is closed.
func (s *Server) Go(run func(stop context.Context)) bool {
	s.starting.Lock()
	defer s.starting.Unlock()
	if s.stop.Err() != nil {
		return false
	}
	s.running.Go(func() { run(s.stop) })
	return true
}

// Store returns the store of the objects.
func (s *Server) Store() *storage.Store { return s.store }

// Registry returns the registry of kinds.
func (s *Server) Registry() *kinds.Registry { return s.config.Registry }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Audit-Id", string(newUID()))
	w.Header().Set("Cache-Control", "no-cache, private")
	if s.config.CBOR {
		req = withCBOR(req)
	}
	r := parse(req)
	if err := s.authenticate(r); err != nil {
		writeError(w, req, err)
		return
	}
	if err := s.authorize(r); err != nil {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		writeError(w, req, err)
		return
	}
	if r.IsResource {
		r.Kind, _ = s.config.Registry.Lookup(r.Resource)
	}
	if s.config.Intercept != nil && s.config.Intercept(r, w) {
		return
	}
	s.Handle(w, r)
}

// Handle handles an allowed request. Config.Intercept may call it, with a writer of its own.
func (s *Server) Handle(w http.ResponseWriter, r *Request) {
	if r.IsResource {
		s.serveResource(w, r)
		return
	}
	s.serveOther(w, r)
}

// serveOther handles non-resource paths.
func (s *Server) serveOther(w http.ResponseWriter, r *Request) {
	first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch first {
	case "healthz", "livez", "readyz":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write([]byte("ok"))
	default:
		s.config.Registry.ServeHTTP(w, r.Request)
	}
}

// serveResource handles resource paths.
func (s *Server) serveResource(w http.ResponseWriter, r *Request) {
	if r.Kind == nil {
		s.missing(w, r)
		return
	}
	if err := s.route(w, r); err != nil {
		writeError(w, r.Request, err)
	}
}

// missing answers for a resource that is not served.
func (s *Server) missing(w http.ResponseWriter, r *Request) {
	if s.serves(r) {
		writeError(w, r.Request, notServed(r.Verb))
		return
	}
	pageNotFound(w)
}

// serves reports whether the group exists, with other, built-in resources.
func (s *Server) serves(r *Request) bool {
	return slices.ContainsFunc(s.config.Registry.All(), func(k *kinds.Kind) bool {
		return !k.Custom && k.Group == r.Resource.Group
	})
}

func pageNotFound(w http.ResponseWriter) {
	http.Error(w, "404 page not found", http.StatusNotFound)
}

// route calls the handler for a served resource.
func (s *Server) route(w http.ResponseWriter, r *Request) error {
	k := r.Kind
	collection := r.parts == 1
	switch {
	case r.Method == http.MethodHead:
		return methodNotAllowed(r.Verb)
	case r.parts > 3 || r.namespaced && !k.Namespaced && !s.config.Lenient:
		return notServed(r.Verb)
	case k.Namespaced && !r.namespaced && !collection && !s.config.Lenient:
		return notServed(r.Verb)
	case k.Namespaced && !r.namespaced && r.Verb != "list" && r.Verb != "watch" && !s.config.Lenient:
		return methodNotAllowed(r.Verb)
	case r.Subresource != "":
		return s.subresource(w, r)
	case !slices.Contains(k.Verbs, r.Verb):
		return methodNotAllowed(r.Verb)
	case collection != slices.Contains([]string{"list", "watch", "create", "deletecollection"}, r.Verb):
		return methodNotAllowed(r.Verb)
	}
	return s.verb(w, r)
}

func (s *Server) verb(w http.ResponseWriter, r *Request) error {
	if !r.Kind.Custom && !produces(r.Request) {
		return notProduced(r)
	}
	switch r.Verb {
	case "get":
		return s.get(w, r)
	case "list", "watch":
		return s.listOrWatch(w, r)
	case "create":
		return s.create(w, r)
	case "update":
		return s.update(w, r)
	case "patch":
		return s.patch(w, r)
	case "delete":
		return s.delete(w, r)
	case "deletecollection":
		return s.deleteCollection(w, r)
	}
	return methodNotAllowed(r.Verb)
}
