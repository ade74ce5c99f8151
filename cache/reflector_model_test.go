package cache

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"pgregory.net/rapid"

	"vedette.dev/internal/listwatch"
	"vedette.dev/internal/object"
)

// Whatever happens to objects, watches and the server, when all is quiet the store is what the server has, at the version
// that the server is at.
func TestStoreBecomesWhatTheServerHas(t *testing.T) {
	steps := rapid.SliceOfN(rapid.SampledFrom([]string{
		"put", "put", "put", "delete", "delete", "bookmark", "compact", "cut", "error 410", "error 429", "error 500",
		"fault 400", "fault 403", "fault 410", "fault 429", "fault 500", "fault 504", "fault refused", "fault nobookmark", "fault breakoff", "well",
		"pages", "wait 1ms", "wait 1s", "wait 10s", "wait 30s", "wait 5m",
	}), 1, 60)
	rapid.Check(t, func(rt *rapid.T) {
		plan := steps.Draw(rt, "steps")
		keys := rapid.SliceOfN(rapid.IntRange(0, 7), len(plan), len(plan)).Draw(rt, "keys")
		relisted := rapid.Bool().Draw(rt, "relisted")
		var err error
		synctest.Test(t, func(t *testing.T) { err = playModel(t, plan, keys, relisted) })
		if err != nil {
			rt.Fatal(err)
		}
	})
}

func playModel(t *testing.T, plan []string, keys []int, relisted bool) (err error) {
	server := newModelServer()
	plain := newPodStore()
	r := NewReflector(server, &corev1.Pod{}, plain, 0)
	if relisted {
		r = newSinkReflector(server, newRelistedStore(plain))
	}
	while(t, r, func() {
		for i, step := range plan {
			server.do(step, "k"+strconv.Itoa(keys[i]))
			synctest.Wait()
		}
		server.do("well", "")
		// At worst it waits for half a minute, then for a stream that does not end, and once more.
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		server.do("bookmark", "")
		synctest.Wait()
		err = server.compare(plain, r)
	})
	return err
}

// compare says what differs between a store and the server.
func (s *modelServer) compare(store Store, r *Reflector) error {
	got := map[string]int{}
	for _, obj := range store.List() {
		p := obj.(*corev1.Pod)
		got[p.Name], _ = strconv.Atoi(p.ResourceVersion)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	state := r.State()
	switch {
	case !maps.Equal(got, s.objects):
		return fmt.Errorf("the store has %v, the server %v; %+v", got, s.objects, state)
	case state.ResourceVersion != strconv.Itoa(s.version):
		return fmt.Errorf("the reflector is at %q, the server at %d; %+v", state.ResourceVersion, s.version, state)
	case state.Phase != PhaseWatching || state.Cause != nil || !state.Synced:
		return fmt.Errorf("it is not well: %+v", state)
	}
	return nil
}

// do does a step of a plan.
func (s *modelServer) do(step, key string) {
	what, how, _ := strings.Cut(step, " ")
	s.mu.Lock()
	switch what {
	case "put":
		s.put(key)
	case "delete":
		s.remove(key)
	case "bookmark":
		s.tellAll(modelEvent{what: watch.Bookmark, version: s.version})
	case "compact":
		s.compacted = s.version
		s.history = nil
	case "cut":
		s.endAll()
	case "error":
		for _, w := range s.watches {
			w.fail(statusFor([]string{how}))
		}
		s.watches = nil
	case "fault":
		s.fault = how
	case "well":
		s.fault = ""
		s.abandon()
	case "pages":
		s.paging = !s.paging
	}
	s.mu.Unlock()
	if what == "wait" {
		d, err := time.ParseDuration(how)
		if err != nil {
			panic(err)
		}
		time.Sleep(d)
	}
}

func (s *modelServer) put(key string) {
	what := watch.Modified
	if _, ok := s.objects[key]; !ok {
		what = watch.Added
	}
	s.version++
	s.objects[key] = s.version
	s.record(modelEvent{what, key, s.version})
}

func (s *modelServer) remove(key string) {
	if _, ok := s.objects[key]; !ok {
		return
	}
	s.version++
	delete(s.objects, key)
	s.record(modelEvent{watch.Deleted, key, s.version})
}

func (s *modelServer) record(e modelEvent) {
	s.history = append(s.history, e)
	s.tellAll(e)
}

// podsNow are the objects of the server.
func (s *modelServer) podsNow() []*corev1.Pod {
	pods := []*corev1.Pod{}
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		pods = append(pods, podAt(key+"@"+strconv.Itoa(s.objects[key])))
	}
	return pods
}

// relistedStore takes a list object by object, as an informer does.
type relistedStore struct {
	*storeSink
	store Store
}

func newRelistedStore(s Store) relistedStore { return relistedStore{newStoreSink(s), s} }

func (s relistedStore) Relist(bool) listwatch.Relist {
	return &testRelist{store: s.store, objects: map[string]any{}}
}

// newSinkReflector returns a reflector of pods that writes to a sink.
func newSinkReflector(lw ListerWatcher, sink listwatch.Sink) *Reflector {
	return &Reflector{core: listwatch.New(listwatch.Config{Name: "test", Example: &corev1.Pod{}, Source: sourceOf(lw), Sink: sink})}
}

type testRelist struct {
	store   Store
	objects map[string]any
}

func (r *testRelist) Add(a *listwatch.Item) error {
	if old, ok, _ := r.store.GetByKey(a.Key); ok && object.Of(old) == a.Rev {
		r.objects[a.Key] = old
		return nil
	}
	obj, err := a.Load()
	if err == nil {
		r.objects[a.Key] = obj
	}
	return err
}

func (r *testRelist) Remove(key string) { delete(r.objects, key) }

func (r *testRelist) Failed() []listwatch.UndecodableError { return nil }

func (r *testRelist) Commit(version string) error {
	return r.store.Replace(slices.Collect(maps.Values(r.objects)), version)
}
