package apitest

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/patch"
	"vedette.dev/apitest/internal/serve"
	"vedette.dev/apitest/internal/storage"
)

// Server is an API server. Its methods are safe for concurrent use.
type Server struct {
	config   Config
	api      *serve.Server
	http     *http.Server
	faults   *faults
	listener *gate
	pipes    *pipeListener    // nil with a socket
	direct   *directTransport // nil with connections
	cert     *certificate     // nil without TLS
	token    string

	connections sync.WaitGroup
	serving     chan struct{} // closed when the accept loop has ended
	closing     sync.Once
}

// New starts a server for a test, and fails the test if that is not possible. The server is closed when the test ends.
func New(t testing.TB, config Config) *Server {
	t.Helper()
	s, err := Start(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Start starts a server, which must be closed.
func Start(config Config) (*Server, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	s := &Server{config: config, faults: newFaults(), serving: make(chan struct{})}
	for token, user := range config.tokens() {
		if s.token == "" || isMaster(user) && s.token > token {
			s.token = token
		}
	}
	s.api = newAPI(&s.config, s.faults)
	s.faults.api = s.api
	if err := s.fill(); err != nil {
		return nil, err
	}
	for _, fault := range config.Faults {
		if _, err := s.Inject(fault); err != nil {
			return nil, err
		}
	}
	if config.InProcess {
		s.direct = &directTransport{handler: s.api, closed: s.serving}
		return s, nil
	}
	if err := s.listen(); err != nil {
		return nil, err
	}
	go s.serve()
	return s, nil
}

func newAPI(config *Config, faults *faults) *serve.Server {
	registry := newRegistry(config)
	tokens := config.tokens()
	allow := config.Allow
	if allow == nil {
		allow = allowMasters
	}
	return serve.New(serve.Config{
		Store:    newStore(config),
		Registry: registry,
		Patcher:  patch.New(registry),
		Authenticate: func(token string) (User, bool) {
			user, ok := tokens[token]
			return user, ok
		},
		Authorize:        allow,
		Intercept:        faults.intercept,
		Frames:           faults.frames,
		Controllers:      !config.NoControllers,
		CreateNamespaces: config.CreateNamespaces,
		ShardSelectors:   config.ShardSelectors,
		Lenient:          config.lenient(),
		Unversioned:      config.Unversioned,
		CBOR:             config.CBOR,
	})
}

func newStore(config *Config) *storage.Store {
	if config.Unversioned {
		return storage.NewUnversioned(config.History)
	}
	return storage.New(config.History)
}

func newRegistry(config *Config) *kinds.Registry {
	registry := kinds.NewRegistry
	switch {
	case config.Untyped:
		registry = kinds.NewUntypedRegistry
	case config.lenient():
		registry = kinds.NewRegistryOfAll
	}
	r := registry()
	if len(config.Kinds) > 0 {
		r.AddSchemaless(config.Kinds...)
	}
	return r
}

// fill creates the namespaces of every cluster, and the objects of the configuration.
func (s *Server) fill() error {
	if s.config.lenient() {
		return s.Put(s.config.Objects...)
	}
	if err := s.makeNamespaces(); err != nil {
		return err
	}
	return s.Put(s.config.Objects...)
}

// makeNamespaces creates the namespaces that every cluster has. Only the first server of a process creates one from
// scratch: computing its managed fields takes longer than the rest of a start.
func (s *Server) makeNamespaces() error {
	template, err := firstNamespace()
	if err != nil {
		return err
	}
	now := metav1.Now().Rfc3339Copy()
	for _, name := range []string{"default", "kube-system", "kube-public", "kube-node-lease"} {
		namespace := template.DeepCopy()
		namespace.Name, namespace.UID, namespace.CreationTimestamp = name, "", now
		namespace.Labels[corev1.LabelMetadataName] = name
		for i := range namespace.ManagedFields {
			namespace.ManagedFields[i].Time = &now
		}
		if err := s.api.TakeObject(namespace); err != nil {
			return fmt.Errorf("apitest: namespace %s: %w", name, err)
		}
	}
	return nil
}

var firstNamespace = sync.OnceValues(func() (*corev1.Namespace, error) {
	s := &Server{config: Config{}, faults: newFaults()}
	s.api = newAPI(&s.config, s.faults)
	created, err := s.Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	if err != nil {
		return nil, fmt.Errorf("apitest: cannot create a namespace: %w", err)
	}
	return created.(*corev1.Namespace), nil
})

func (s *Server) listen() error {
	s.http = &http.Server{Handler: s.api, ErrorLog: s.errorLog(), ConnState: s.connState, ConnContext: withConn}
	if s.config.InMemory {
		s.pipes = newPipeListener()
		s.listener = newGate(s.pipes)
		return nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("apitest: %w", err)
	}
	s.listener = newGate(listener)
	if s.config.PlainHTTP {
		return nil
	}
	if s.cert, err = newCertificate(); err != nil {
		return fmt.Errorf("apitest: %w", err)
	}
	s.http.TLSConfig = s.cert.tls
	return nil
}

func (s *Server) errorLog() *log.Logger {
	if s.config.Logger == nil {
		return log.New(io.Discard, "", 0)
	}
	return slog.NewLogLogger(s.config.Logger.Handler(), slog.LevelWarn)
}

// connState counts connections, so that Close can wait for them.
func (s *Server) connState(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.connections.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.connections.Done()
	}
}

func (s *Server) serve() {
	defer close(s.serving)
	if s.cert != nil {
		_ = s.http.ServeTLS(s.listener, "", "") // ends with Close
		return
	}
	_ = s.http.Serve(s.listener)
}

// Close closes the server and its connections, and waits for all its goroutines. It may be called twice.
func (s *Server) Close() {
	s.closing.Do(func() {
		s.faults.close()
		if s.direct != nil {
			close(s.serving)
			s.api.Close()
			return
		}
		_ = s.http.Close()
		<-s.serving
		s.api.Close()
		s.connections.Wait()
		s.listener.wait()
		s.faults.wait()
	})
}

// Compact drops all versions but the newest, as a compaction of etcd does: watches and lists of older ones are answered
// with 410 Gone. Running watches continue.
func (s *Server) Compact() { s.api.Store().Compact(s.api.Store().Version()) }
