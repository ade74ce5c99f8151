package command

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"vedette.dev/cmd/vedette/internal/demo"
)

// On a terminal the summary is drawn anew, with what happens, and the verdict comes after it.
func TestDemoOnATerminal(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	p := start(t, "demo", "--objects", "50", "--rate", "20", "--shards", "2", "--for", "4s")
	at := p.out.wait(t, 0, "The console is at http://127.0.0.1:")
	url, _, _ := strings.Cut(p.out.String()[at-len("http://127.0.0.1:"):], "\n")
	at = p.out.wait(t, at, "vedette demo, ")
	at = p.out.wait(t, at, "pods in 2 shards")
	at = p.out.wait(t, at, "operator: ")
	at = p.out.wait(t, at, "2 shards: ")
	resp, err := http.Get(url + "shards")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if err != nil || !strings.Contains(string(body), "pods in 2 shards") || !strings.Contains(string(body), "2 streams") {
		t.Errorf("%v: the page says %s", err, body)
	}
	at = p.out.wait(t, at, "all connections cut: watches go on from where they were")
	at = p.out.wait(t, at, "\x1b[?1049l")
	p.out.wait(t, at, "Passed: ")
	if code := <-p.code; code != exitOK {
		t.Errorf("exit status %d: %s", code, p.err)
	}
}

// A verdict with problems is an error that names them.
func TestABadVerdictIsAnError(t *testing.T) {
	out := newOutput()
	d := &demonstrate{streams: &streams{out: out}}
	err := d.printVerdict(demo.Verdict{
		Kinds: []demo.KindVerdict{{Name: "pods", Server: 2000, Cache: 1999, Handlers: 2, SameHandlers: 1}}, Changes: 1,
		Problems: []string{"the cache of pods misses one\x1b[31m"},
	})
	if err == nil || err.Error() != "verdict: 1 problem" {
		t.Errorf("got %v", err)
	}
	text := out.String()
	for _, want := range []string{"After 1 change and 0 faults:", "2,000   1,999   DIFFERENT   1 of 2 the same", "  the cache of pods misses one?[31m\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "Passed") {
		t.Errorf("it says\n%s", text)
	}
}

// Only the newest news are on the screen.
func TestNews(t *testing.T) {
	n := &news{began: time.Now(), live: true}
	for range 2 * lastNews {
		n.add("something")
	}
	n.add("the last")
	f := n.frame(demo.Status{Shards: make([]int, 40)}, "http://x/", "To ask", 0)
	if len(n.last) != lastNews || !strings.HasSuffix(f.Rows[len(f.Rows)-1], "the last") {
		t.Errorf("%q", f.Rows)
	}
	if f.Footer != "Ctrl-C ends, with a verdict" || !strings.Contains(strings.Join(f.Rows, "\n"), "40 shards: 0 | 0 ") {
		t.Errorf("%+v", f)
	}
}

func TestWhichBrowser(t *testing.T) {
	display := func(name string) string { return map[string]string{"DISPLAY": ":0"}[name] }
	none := func(string) string { return "" }
	for _, c := range []struct {
		system string
		getenv func(string) string
		want   string
	}{{"linux", display, "xdg-open"}, {"linux", none, ""}, {"darwin", none, "open"}, {"windows", none, "rundll32"}} {
		if name, _, err := browser(c.system, c.getenv); name != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v", c.system, name, err)
		}
	}
}

// The view of shards has a line of them.
func TestWatchInShards(t *testing.T) {
	server, kubeconfig := newServer(t, newPod("a", "node-a"), newPod("b", "node-b"))
	p := start(t, "watch", "pods", "--shards", "2", "--kubeconfig", kubeconfig)
	at := p.out.wait(t, 0, "pods in default: 2 objects")
	at = p.out.wait(t, at, "2 shards: ")
	put(t, server, newPod("c", "node-b"))
	at = p.out.wait(t, at, "3 objects")
	p.out.wait(t, at, "2 shards: ")
	if code := p.interrupt(); code != exitOK {
		t.Errorf("exit status %d", code)
	}
}
