package runner

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"vedette.dev/apitest"
	"vedette.dev/console"
)

// The page is beside the health checks, shows what is in the queue, and lets go of those who look when the program stops.
func TestTheConsoleIsServed(t *testing.T) {
	p := newProgram(t, apitest.New(t, apitest.Config{}))
	create(t, p.server, "one")
	p.config.HealthProbeBindAddress, p.config.DebugEndpoints = "127.0.0.1:0", true
	p.config.Console = console.Handler(console.Config{
		Informers:   []console.Informers{console.Factory("", p.config.Factories[0])},
		Controllers: []console.Controller{p.config.Controllers[0]},
	})
	p.start()
	base := "http://" + p.addresses(1)[0]
	eventually(t, "the key is reconciled", func() bool { return p.seen("default/one") })
	for path, want := range map[string]string{
		"/debug/vedette/":       "core/v1.ConfigMap",
		"/debug/vedette/queues": "maps",
		"/debug/controllers":    `"reconciles": 1`,
		"/healthz":              "ok",
	} {
		if code, body := get(t, base+path); code != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d, and there is no %q in\n%s", path, code, want, body)
		}
	}
	if _, body := get(t, base+"/debug/vedette/queues?format=json"); !strings.Contains(body, `"known": true`) {
		t.Errorf("the page cannot look into the queue: %s", body)
	}
	// A viewer opens a stream, and keeps it open.
	resp, err := http.Get(base + "/debug/vedette/?stream=1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	stream := bufio.NewReader(resp.Body)
	if _, err := stream.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
	for {
		if _, err := stream.ReadString('\n'); err != nil {
			if err.Error() != "EOF" {
				t.Errorf("the stream was not ended, but cut: %v", err)
			}
			return
		}
	}
}
