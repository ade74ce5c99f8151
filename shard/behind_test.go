package shard

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/apitest"
	"vedette.dev/rest"
)

// gate holds back the responses to requests with a label selector while it is shut.
type gate struct {
	labels string
	mu     sync.Mutex
	opened chan struct{}
}

func newGate(labels string) *gate {
	g := &gate{labels: labels, opened: make(chan struct{})}
	g.open()
	return g
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.opened)
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened = make(chan struct{})
}

// next lets those pass that wait, and no more.
func (g *gate) next() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.opened)
	g.opened = make(chan struct{})
}

func (g *gate) pass() {
	g.mu.Lock()
	opened := g.opened
	g.mu.Unlock()
	<-opened
}

func (g *gate) wrap(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return gated{next, g} })
	return config
}

type gated struct {
	http.RoundTripper
	gate *gate
}

func (t gated) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.RoundTripper.RoundTrip(r)
	if err == nil && r.URL.Query().Get("labelSelector") == t.gate.labels {
		response.Body = gatedBody{response.Body, t.gate}
	}
	return response, err
}

type gatedBody struct {
	io.ReadCloser
	gate *gate
}

func (b gatedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.gate.pass()
	return n, err
}

// An object that was deleted does not come back with what a stream brings that is behind.
func TestNoResurrectionByAStreamThatIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		behind := newGate("tenant=a,!other")
		w := start(t, server, Config[*corev1.ConfigMap]{
			REST: behind.wrap(server.RESTConfig()), Partial: true,
			Source: Shards(
				Shard{ID: "a", Scope: Scope{Labels: "tenant=a,!other"}},
				Shard{ID: "b", Scope: Scope{Labels: "tenant=b,!other"}}),
		})
		synctest.Wait()
		behind.shut()
		w.create(configMap("one", "x", "a"))
		synctest.Wait() // the event waits at the gate, alone
		w.change("one", "x", func(cm *corev1.ConfigMap) { cm.Labels["tenant"] = "b" })
		synctest.Wait()
		w.remove("one", "x")
		time.Sleep(time.Minute)
		w.check(nil)
		behind.next()
		synctest.Wait()
		if w.hears.adds != 1 {
			t.Errorf("%d adds when the stream has brought the object as it was first, want one", w.hears.adds)
		}
		behind.open()
		time.Sleep(time.Minute)
		w.check(nil)
		if w.hears.adds != 1 || w.hears.deletes != 1 {
			t.Errorf("%d adds and %d deletions, want one of each", w.hears.adds, w.hears.deletes)
		}
		// The same name may come again.
		w.create(configMap("one", "x", "a"))
		time.Sleep(time.Minute)
		w.check(nil)
	})
}

// A list of a stream that begins while others run is at least as new as what they have brought.
func TestListsAreNotOlderThanWhatIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{Faults: []apitest.Fault{{Effect: apitest.AnswerNoInitialEvents}}})
		requests := &traffic{}
		a := Shard{ID: "a", Scope: Scope{Labels: "tenant=a,!other"}}
		w := start(t, server, Config[*corev1.ConfigMap]{REST: requests.wrap(server.RESTConfig()), Partial: true, Source: Shards(a)})
		synctest.Wait()
		requests.take()
		w.create(configMap("one", "x", "a"))
		synctest.Wait()
		if err := w.informer.SetShards(a, Shard{ID: "b", Scope: Scope{Labels: "tenant=b,!other"}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		lists, _ := requests.take()
		plain := 0
		for _, list := range lists {
			_, query, _ := strings.Cut(list, "?")
			values, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			if values.Get("sendInitialEvents") == "true" {
				continue // a server that knows this begins with what is newest
			}
			plain++
			if got := values.Get("resourceVersion"); got != server.ResourceVersion() {
				t.Errorf("the list %s is not older than %q, want %q", list, got, server.ResourceVersion())
			}
		}
		if plain == 0 {
			t.Error("the stream of the new shard has not listed")
		}
	})
}

// What a stream has brought and still waits when its shard is removed is not for another shard that has the ID of that one.
func TestEventsOfARemovedShardAreNotForAnotherOfItsName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		kept := Shard{ID: "kept", Scope: Scope{Labels: "tenant=b,!other"}}
		slow := Shard{ID: "s", Scope: Scope{Labels: "tenant=a,!other"}, Limits: Limits{EventsPerSecond: 1}}
		w := start(t, server, Config[*corev1.ConfigMap]{Partial: true, Source: Shards(kept, slow)})
		synctest.Wait()
		for _, name := range []string{"x", "y", "z"} { // of which some wait
			w.create(configMap("one", name, "a"))
		}
		synctest.Wait()
		for _, shard := range []Shard{kept, {ID: slow.ID, Scope: kept.Scope}} {
			if err := w.informer.SetShards(shard); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		if objects := w.informer.View("s").List(); len(objects) > 0 {
			t.Errorf("shard s has %d objects that do not match its selector", len(objects))
		}
		w.check(func(*corev1.ConfigMap) bool { return false })
	})
}

// What a stream has brought and still waits is for the shard that takes the place of the one it was for.
func TestEventsOfARenamedShardFollowIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		slow := Shard{ID: "s", Scope: Scope{Labels: "tenant=a,!other"}, Limits: Limits{EventsPerSecond: 1}}
		w := start(t, server, Config[*corev1.ConfigMap]{Partial: true, Source: Shards(slow)})
		for _, name := range []string{"x", "y", "z"} {
			w.create(configMap("one", name, "a"))
		}
		time.Sleep(time.Minute)
		deletes := w.hears.deletes
		for _, name := range []string{"x", "y", "z"} {
			w.change("one", name, func(cm *corev1.ConfigMap) { cm.Data["n"] = "1" })
		}
		synctest.Wait()
		// The stream of the wider selector begins with a list; what the other stream has brought waits meanwhile.
		if err := w.informer.SetShards(Shard{ID: "t", Scope: Scope{Labels: "tenant in (a,b),!other"}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		w.check(nil)
		if w.hears.deletes != deletes {
			t.Errorf("%d deletions of objects that were not deleted", w.hears.deletes-deletes)
		}
	})
}

// A view tells how many objects a shard has, and up to which version it has every change.
func TestLenAndVersionOfAView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		w := start(t, server, Config[*corev1.ConfigMap]{Partial: true, Source: Shards(Shard{ID: "s", Scope: Scope{Labels: "tenant=a"}})})
		view, other := w.informer.View("s"), w.informer.View("t")
		for _, name := range []string{"x", "y", "z"} {
			w.create(configMap("one", name, "a"))
		}
		w.change("one", "y", func(cm *corev1.ConfigMap) { cm.Data["n"] = "1" })
		time.Sleep(time.Second)
		if n, version := view.Len(), view.Version(); n != 3 || version != w.onServer(nil)["one/y"] {
			t.Errorf("the view has %d of 3 objects, up to version %q; want %q", n, version, w.onServer(nil)["one/y"])
		}
		w.remove("one", "x")
		time.Sleep(time.Second)
		if n := view.Len(); n != 2 {
			t.Errorf("the view has %d of 2 objects", n)
		}
		if n, version := other.Len(), other.Version(); n != 0 || version != "" {
			t.Errorf("the view of a shard that does not exist has %d objects, up to version %q", n, version)
		}
	})
}
