package runner

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
)

// program is a program with one controller of config maps.
type program struct {
	t      *testing.T
	server *apitest.Server
	config Config
	log    *logged
	cancel context.CancelFunc
	result chan error

	mu         sync.Mutex
	reconciled []string
	working    func(ctx context.Context)
}

// logged is a log that can be read while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newProgram(t *testing.T, server *apitest.Server) *program {
	t.Helper()
	client, err := kubernetes.NewForConfig(server.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	p := &program{t: t, server: server, log: new(logged), result: make(chan error, 1)}
	c, err := controller.New(controller.Config[cache.ObjectName]{
		Name:      "maps",
		Sources:   []controller.Source[cache.ObjectName]{controller.For(factory.Core().V1().ConfigMaps().TypedInformer())},
		Reconcile: p.reconcile,
	})
	if err != nil {
		t.Fatal(err)
	}
	p.config = Config{
		RESTConfig:  server.RESTConfig(),
		Factories:   []Factory{factory},
		Controllers: []Controller{c},
		Logger:      slog.New(slog.NewTextHandler(p.log, nil)),
		KeepSignals: true,
	}
	return p
}

func (p *program) reconcile(ctx context.Context, key cache.ObjectName) (controller.Result, error) {
	p.mu.Lock()
	p.reconciled = append(p.reconciled, key.String())
	p.mu.Unlock()
	if p.working != nil {
		p.working(ctx)
	}
	return controller.Result{}, nil
}

func (p *program) seen(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.reconciled {
		if k == key {
			return true
		}
	}
	return false
}

func (p *program) start() {
	ctx, cancel := context.WithCancel(p.t.Context())
	p.cancel = cancel
	go func() { p.result <- Run(ctx, p.config) }()
}

func (p *program) end() error {
	p.cancel()
	return <-p.result
}

// eventually waits until something holds, without a bubble.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

var address = regexp.MustCompile(`msg=Serving address=(\S+)`)

// addresses are where the program listens.
func (p *program) addresses(count int) []string {
	p.t.Helper()
	var found []string
	eventually(p.t, "the program listens", func() bool {
		found = nil
		for _, m := range address.FindAllStringSubmatch(p.log.String(), -1) {
			found = append(found, m[1])
		}
		return len(found) == count
	})
	return found
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSpace(string(body))
}
