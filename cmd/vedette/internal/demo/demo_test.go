package demo

import (
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/internal/sites"
)

// heard collects the messages of a demo.
type heard struct {
	mu   sync.Mutex
	text []string
}

func (h *heard) tell(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, text)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.text, "\n")
}

// With half a minute of faults of all types, nothing is lost.
func TestNothingIsLost(t *testing.T) {
	for name, cluster := range map[string]bool{"embedded": false, "cluster": true} {
		if cluster && testing.Short() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			said := &heard{}
			inDemo(t, cluster, Config{Objects: 60, Rate: 20, Shards: 3, Pause: 2 * time.Second, Tell: said.tell}, 30*time.Second, func(t *testing.T, d *Demo, _ *apitest.Server) {
				v := verdict(t, d, time.Minute)
				if len(v.Problems) > 0 || v.Changes < 300 || v.Faults < 6 || v.Sites == 0 || v.Pages < v.Sites || v.Reconciles < 20 {
					t.Errorf("%+v", v)
				}
				for _, k := range v.Kinds {
					if !k.Same || k.SameHandlers != k.Handlers || k.Server == 0 || k.Cache != k.Server {
						t.Errorf("%+v", k)
					}
				}
				namespace, name, _ := strings.Cut(d.Site(), "/")
				if _, err := d.world.setting().sites.In(namespace).Get(t.Context(), name, metav1.GetOptions{}); err != nil {
					t.Errorf("the site named in the hint: %v", err)
				}
				s := d.Status()
				if len(s.Shards) != 3 || s.Objects == 0 || s.Streams != 3 && !cluster {
					t.Errorf("%+v", s)
				}
			})
			want := []string{"all connections", "stalled"}
			if !cluster {
				want = append(want, "410 Gone", "refused")
			}
			for _, what := range want {
				made := strings.Count(said.String(), what)
				if recovered := strings.Count(said.String(), "recovered after"); made < 2 || recovered < 5 {
					t.Errorf("%q was reported %d times, with %d recoveries:\n%s", what, made, recovered, said)
				}
			}
			if strings.Contains(said.String(), "not recovered") || strings.Contains(said.String(), "could not be made") {
				t.Errorf("messages:\n%s", said)
			}
		})
	}
}

// A verdict names the differences.
func TestAVerdictThatIsNotGood(t *testing.T) {
	for name, c := range map[string]struct {
		corrupt func(t *testing.T, d *Demo, server *apitest.Server)
		says    string
	}{
		"a deletion is lost": {func(t *testing.T, d *Demo, _ *apitest.Server) {
			book := d.machine.looks[0].ledgers[0]
			book.known["nowhere/ghost"] = identity{"uid", "1"}
		}, "the handler of pods has 1 objects that are not among the"},
		"an object is lost": {func(t *testing.T, d *Demo, _ *apitest.Server) {
			for _, l := range d.machine.looks {
				if l.name == "pods in 2 shards" {
					for key := range l.ledgers[0].known {
						delete(l.ledgers[0].known, key)
						return
					}
				}
			}
		}, "the handler of pods in 2 shards lacks 1 of the"},
		"a state is lost": {func(t *testing.T, d *Demo, _ *apitest.Server) {
			for key, is := range d.machine.slow.known {
				d.machine.slow.known[key] = identity{is.uid, "1"}
				return
			}
		}, "the slow handler of pods has an old state of 1 of the"},
		"the order is wrong": {func(t *testing.T, d *Demo, _ *apitest.Server) {
			d.machine.looks[1].ledgers[0].complain("web came twice")
		}, "the handler of deployments was called wrongly 1 times; the first: web came twice"},
		"an informer has stopped": {func(t *testing.T, d *Demo, server *apitest.Server) {
			d.machine.stop()
			obj := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "late"}}
			if err := server.Put(obj); err != nil {
				t.Fatal(err)
			}
		}, "the cache of pods lacks 1 of the"},
		"the work is not done": {func(t *testing.T, d *Demo, server *apitest.Server) {
			d.machine.stop()
			if _, err := d.machine.sites.Create(t.Context(), newSite(999), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}, "site site-999 wants 5 pages, has 0, and its status says 0"},
	} {
		t.Run(name, func(t *testing.T) {
			inDemo(t, false, Config{Objects: 20, Rate: 10, Shards: 2, Pause: -1}, time.Second, func(t *testing.T, d *Demo, server *apitest.Server) {
				if v := verdict(t, d, time.Minute); len(v.Problems) > 0 {
					t.Fatalf("it is not good before anything was done: %v", v.Problems)
				}
				c.corrupt(t, d, server)
				if got := strings.Join(verdict(t, d, time.Second).Problems, "\n"); !strings.Contains(got, c.says) {
					t.Errorf("got %q, want %q", got, c.says)
				}
			})
		})
	}
}

func TestALedgerNotesWhatIsWrong(t *testing.T) {
	for want, tell := range map[string]func(l *ledger){
		"": func(l *ledger) {
			l.OnAdd(newMap("x", "1"), true)
			l.OnUpdate(nil, newMap("x", "2"))
			l.OnUpdate(nil, newMap("x", "2"))
			l.OnDelete(newMap("x", "3"))
			l.OnAdd(newMap("x", "1"), false)
			l.OnDelete(cache.DeletedFinalStateUnknown{Key: "a/x"})
		},
		"a/x was added, but existed already": func(l *ledger) { l.OnAdd(newMap("x", "1"), true); l.OnAdd(newMap("x", "2"), true) },
		"a/x was updated, but did not exist": func(l *ledger) { l.OnUpdate(nil, newMap("x", "1")) },
		"a/x was updated from version 10 back to 9": func(l *ledger) {
			l.OnAdd(newMap("x", "10"), true)
			l.OnUpdate(nil, newMap("x", "9"))
		},
		"a/x was updated, but is another object": func(l *ledger) {
			l.OnAdd(newMap("x", "1"), true)
			other := newMap("x", "2")
			other.UID = "other"
			l.OnUpdate(nil, other)
		},
		"a/x was deleted, but did not exist": func(l *ledger) { l.OnDelete(newMap("x", "1")) },
		"a/y was deleted, but did not exist": func(l *ledger) { l.OnDelete(cache.DeletedFinalStateUnknown{Key: "a/y"}) },
		"it was called with a int":           func(l *ledger) { l.OnAdd(7, false) },
	} {
		l := newLedger("test")
		tell(l)
		l.read(func(_ map[string]identity, wrong []string, count int) {
			if (want == "") != (count == 0) || want != "" && !strings.Contains(wrong[0], want) {
				t.Errorf("want %q, got %q", want, wrong)
			}
		})
	}
}

// A cluster is left as it was found.
func TestAClusterIsLeftAsItWas(t *testing.T) {
	inDemo(t, true, Config{Objects: 10, Rate: 5, Pause: -1}, 3*time.Second, func(t *testing.T, d *Demo, server *apitest.Server) {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		for _, resource := range []string{"namespaces", "configmaps"} {
			list, _, err := server.List(t.Context(), corev1.SchemeGroupVersion.WithResource(resource), "")
			if err != nil {
				t.Fatal(err)
			}
			for _, obj := range list {
				if m := obj.(metav1.Object); strings.Contains(m.GetNamespace()+m.GetName(), "vedette-demo") {
					t.Errorf("%s %s/%s is still there", resource, m.GetNamespace(), m.GetName())
				}
			}
		}
		if list, _, err := server.List(t.Context(), sites.Definitions, ""); err != nil || len(list) > 0 {
			t.Errorf("there are %d definitions, %v", len(list), err)
		}
	})
}

func TestBadConfig(t *testing.T) {
	server := &apitest.Server{}
	for want, config := range map[string]Config{
		"Config.Server and Config.REST": {},
		"Config.Objects is -1":          {Server: server, Objects: -1},
		"Config.Rate is -1":             {Server: server, Rate: -1},
		"Config.Shards is -1":           {Server: server, Shards: -1},
	} {
		if _, err := Start(t.Context(), config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
