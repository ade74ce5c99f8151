package runner

import (
	"context"
	"errors"
	"flag"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/controller"
)

func create(t *testing.T, server *apitest.Server, name string) {
	t.Helper()
	if _, err := server.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}); err != nil {
		t.Fatal(err)
	}
}

func TestProbesAndExplanations(t *testing.T) {
	server := apitest.New(t, apitest.Config{})
	create(t, server, "one")
	p := newProgram(t, server)
	p.config.HealthProbeBindAddress, p.config.MetricsBindAddress = "127.0.0.1:0", "127.0.0.1:0"
	p.config.MetricsHandler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("some_metric 1")) })
	p.config.DebugEndpoints = true
	moody := errors.New("in a bad mood")
	p.config.Health = map[string]func() error{"mood": func() error { return moody }}
	p.start()
	base := "http://" + p.addresses(1)[0] // both are at one
	eventually(t, "the key is reconciled", func() bool { return p.seen("default/one") })

	for path, want := range map[string]string{
		"/readyz":                 "ok",
		"/readyz/controller-maps": "ok",
		"/readyz?verbose":         "[+]controller-maps ok\n[+]informers-0 ok",
		"/metrics":                "some_metric 1",
	} {
		if code, body := get(t, base+path); code != 200 || body != want {
			t.Errorf("%s: %d %q, want 200 %q", path, code, body, want)
		}
	}
	for path, want := range map[string]struct {
		code int
		text string
	}{
		"/healthz":                            {503, "[-]mood failed: reason logged\n[+]ping ok"},
		"/healthz/ping":                       {200, "ok"},
		"/healthz/other":                      {404, `unknown check "other"; known are mood, ping`},
		"/debug/explain":                      {400, `controller maps: empty key`},
		"/debug/explain?controller=x&key=a/b": {404, `unknown controller "x"; known are maps`},
		"/debug/explain?key=a/b/c":            {400, `a/b/c`},
		"/debug/explain?controller=maps&key=default/one":              {200, `"stage": "done"`},
		"/debug/explain?controller=maps&key=default/one&format=text":  {200, `maps default/one: done`},
		"/debug/explain?controller=maps&key=default/none&format=text": {200, `unknown`},
		"/debug/controllers": {200, `"reconciles": 1`},
	} {
		if code, body := get(t, base+path); code != want.code || !strings.Contains(body, want.text) {
			t.Errorf("%s: %d %q, want %d %q", path, code, body, want.code, want.text)
		}
	}
	fault, err := apitest.ParseFault("list,watch configmaps: 403")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Inject(fault); err != nil {
		t.Fatal(err)
	}
	server.CutConnections()
	eventually(t, "/readyz says what is not, and the log why", func() bool {
		code, body := get(t, base+"/readyz")
		if strings.Contains(body, "forbidden") {
			t.Errorf("/readyz answers with a whole error: %s", body)
		}
		log := p.log.String()
		i := strings.Index(log, "path=/readyz check=informers-0 err=")
		return code == 503 && strings.Contains(body, "[-]informers-0 failed: reason logged") && i >= 0 && strings.Contains(log[i:], "forbidden")
	})
	if n := strings.Count(p.log.String(), "in a bad mood"); n != 1 {
		t.Errorf("an error that stays the same was logged %d times", n)
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

func TestAPortThatIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	p := newProgram(t, apitest.New(t, apitest.Config{}))
	p.config.HealthProbeBindAddress = taken.Addr().String()
	if err := Run(t.Context(), p.config); err == nil || !strings.Contains(err.Error(), taken.Addr().String()) {
		t.Errorf("got %v", err)
	}
}

func TestASignalStops(t *testing.T) {
	p := newProgram(t, apitest.New(t, apitest.Config{}))
	create(t, p.server, "one")
	working, release := make(chan struct{}), make(chan struct{})
	p.working = func(context.Context) {
		close(working)
		<-release
	}
	p.config.KeepSignals = false
	exited := make(chan int, 1)
	exit = func(code int) { exited <- code }
	defer func() { exit = os.Exit }()
	p.start()
	defer p.cancel()
	<-working
	kill(t)
	eventually(t, "the log says so", func() bool { return strings.Contains(p.log.String(), "a second signal exits at once") })
	select {
	case err := <-p.result:
		t.Fatalf("it did not wait for the reconcile: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	kill(t)
	if code := <-exited; code != 1 {
		t.Errorf("exit status %d", code)
	}
	close(release)
	if err := <-p.result; err != nil {
		t.Error(err)
	}
}

func kill(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// failing is a controller that ends with an error, or without.
type failing struct {
	Controller
	err error
}

func (f failing) Name() string              { return "failing" }
func (f failing) Run(context.Context) error { return f.err }

func TestAControllerThatEndsStopsTheProgram(t *testing.T) {
	for _, cause := range []error{nil, errors.New("no such kind")} {
		p := newProgram(t, apitest.New(t, apitest.Config{}))
		p.config.Controllers = append(p.config.Controllers, failing{p.config.Controllers[0], cause})
		p.start()
		err := <-p.result
		p.cancel()
		if err == nil || cause == nil && !strings.Contains(err.Error(), "controller failing stopped unexpectedly") || cause != nil && !errors.Is(err, cause) {
			t.Errorf("got %v", err)
		}
	}
}

func TestWhatIsWrongWithAConfigIsNamed(t *testing.T) {
	p := newProgram(t, apitest.New(t, apitest.Config{}))
	for field, corrupt := range map[string]func(*Config){
		"Config.Controllers is empty":          func(c *Config) { c.Controllers = nil },
		"Config.Controllers[1]":                func(c *Config) { c.Controllers = append(c.Controllers, nil) },
		"two entries with the name":            func(c *Config) { c.Controllers = append(c.Controllers, c.Controllers[0]) },
		"Config.RESTConfig":                    func(c *Config) { c.RESTConfig, c.LeaderElect, c.LeaderElectResourceName = nil, true, "x" },
		"Config.MetricsHandler":                func(c *Config) { c.MetricsBindAddress = ":0" },
		"Options.LeaderElectResourceName":      func(c *Config) { c.LeaderElect = true },
		"Options.LeaderElectResourceNamespace": func(c *Config) { c.LeaderElect, c.LeaderElectResourceName = true, "x" },
		"Config.Console is set":                func(c *Config) { c.Console, c.HealthProbeBindAddress = http.NotFoundHandler(), "" },
		"Options.DebugEndpoints":               func(c *Config) { c.DebugEndpoints, c.HealthProbeBindAddress = true, "0" },
		"LeaseDuration": func(c *Config) {
			c.LeaderElect, c.LeaderElectResourceName, c.LeaderElectResourceNamespace = true, "x", "y"
			c.LeaderElectLeaseDuration = time.Second
		},
	} {
		config := p.config
		config.Controllers = []Controller{p.config.Controllers[0]}
		corrupt(&config)
		if err := Run(t.Context(), config); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: got %v", field, err)
		}
	}
	if state := p.config.Controllers[0].State(); state.Phase != controller.PhaseIdle {
		t.Errorf("the controller is %v", state.Phase)
	}
}

func TestFlags(t *testing.T) {
	server := apitest.New(t, apitest.Config{})
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, server.Kubeconfig(), 0o600); err != nil {
		t.Fatal(err)
	}
	options := Options{HealthProbeBindAddress: ":8081"}
	fs := flag.NewFlagSet("test", flag.ContinueOnError)
	options.AddFlags(fs)
	err := fs.Parse([]string{
		"--kubeconfig", file, "--kube-api-qps=50", "--kube-api-burst=70", "--leader-elect", "--leader-elect-resource-name=x",
		"--leader-elect-retry-period=3s", "--metrics-bind-address=:8080", "--debug-endpoints",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Options{
		Kubeconfig: file, QPS: 50, Burst: 70, LeaderElect: true, LeaderElectResourceName: "x", DebugEndpoints: true,
		LeaderElectRetryPeriod: 3 * time.Second, LeaderElectLeaseDuration: 15 * time.Second, LeaderElectRenewDeadline: 10 * time.Second,
		MetricsBindAddress: ":8080", HealthProbeBindAddress: ":8081",
	}
	if options != want {
		t.Errorf("got %+v, want %+v", options, want)
	}
	config, err := options.RESTConfig()
	if err != nil || config.QPS != 50 || config.Burst != 70 {
		t.Errorf("got %v, %v", config, err)
	}
	options.Kubeconfig = filepath.Join(t.TempDir(), "missing")
	if _, err := options.RESTConfig(); err == nil || !strings.Contains(err.Error(), "missing") || !strings.Contains(err.Error(), "--kubeconfig") {
		t.Errorf("got %v", err)
	}
}
