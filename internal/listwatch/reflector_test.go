package listwatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/object"
)

// memory is a sink that keeps the names of objects with their versions, and what happened.
type memory struct {
	mu      sync.Mutex
	objects map[string]string
	log     []string
}

func (m *memory) note(format string, args ...any) {
	m.log = append(m.log, fmt.Sprintf(format, args...))
}

func (m *memory) Take(e *Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	rev := object.Of(e.Object)
	key, err := object.Key(e.Object)
	if err != nil {
		return err
	}
	if e.Type == watch.Deleted {
		delete(m.objects, key)
	} else {
		m.objects[key] = rev.Version
	}
	m.note("%s %s@%s", e.Type, key, rev.Version)
	return nil
}

func (m *memory) Bookmark(version string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.note("bookmark %s", version)
	return nil
}

func (m *memory) Reached(string)                {}
func (m *memory) Resync() error                 { return nil }
func (m *memory) KeyOf(obj any) (string, error) { return object.Key(obj) }
func (m *memory) Relist(bool) Relist            { return &memoryRelist{m: m, objects: map[string]string{}} }

type memoryRelist struct {
	m       *memory
	objects map[string]string
}

func (r *memoryRelist) Add(item *Item) error {
	r.objects[item.Key] = item.Rev.Version
	_, err := item.Load()
	return err
}

func (r *memoryRelist) Remove(key string)          { delete(r.objects, key) }
func (r *memoryRelist) Failed() []UndecodableError { return nil }

func (r *memoryRelist) Commit(version string) error {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	r.m.objects = r.objects
	r.m.note("list of %d at %s", len(r.objects), version)
	return nil
}

func thing(name, version string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "u", ResourceVersion: version}}
}

// server has one list and hands out watches.
type server struct {
	list    func() (*metav1.PartialObjectMetadataList, error)
	watches chan *watch.FakeWatcher
}

func (s *server) source() Source {
	return Source{
		NoWatchList: true,
		List:        func(context.Context, metav1.ListOptions) (runtime.Object, error) { return s.list() },
		Watch: func(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
			w := watch.NewFakeWithChanSize(10, false)
			s.watches <- w
			return w, nil
		},
	}
}

// TestListAndWatch plays a list, changes, an expired version and a list that fails once.
func TestListAndWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{watches: make(chan *watch.FakeWatcher, 10)}
		names, version, failing := []string{"a", "b"}, "10", false
		s.list = func() (*metav1.PartialObjectMetadataList, error) {
			if failing {
				failing = false
				return nil, errors.New("down")
			}
			list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
			for _, name := range names {
				list.Items = append(list.Items, *thing(name, version))
			}
			return list, nil
		}
		sink := &memory{}
		var failed []string
		r := New(Config{Name: "test", Source: s.source(), Sink: sink, OnError: func(_ context.Context, _ *Reflector, err error) { failed = append(failed, err.Error()) }})
		r.Random = func() float64 { return 0 }
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { r.Run(ctx) })
		synctest.Wait()
		w := <-s.watches
		w.Modify(thing("a", "11"))
		w.Delete(thing("b", "12"))
		w.Action(watch.Bookmark, thing("", "15"))
		synctest.Wait()
		if state := r.State(); state.Phase != PhaseWatching || !state.Synced || state.ResourceVersion != "15" || state.Events != 3 {
			t.Errorf("the state is %+v", state)
		}
		names, version, failing = []string{"a", "c"}, "20", true
		w.Error(&apierrors.NewResourceExpired("too old").ErrStatus)
		synctest.Wait()
		if state := r.State(); state.Phase != PhaseBackingOff || state.Cause == nil {
			t.Errorf("the state is %+v", state)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		cancel()
		running.Wait()
		want := []string{"list of 2 at 10", "MODIFIED a@11", "DELETED b@12", "bookmark 15", "list of 2 at 20"}
		if !slices.Equal(sink.log, want) {
			t.Errorf("got %q, want %q", sink.log, want)
		}
		if len(failed) != 1 || !strings.Contains(failed[0], "down") {
			t.Errorf("errors: %q", failed)
		}
		state := r.State()
		if state.Phase != PhaseStopped || state.Lists != 3 || state.ListsFailed.Total() != 1 || state.WatchesFailed[FailureExpired] != 1 {
			t.Errorf("the state is %+v", state)
		}
	})
}

// TestResume begins with a watch.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{watches: make(chan *watch.FakeWatcher, 10)}
		sink := &memory{objects: map[string]string{}}
		r := New(Config{Name: "test", Source: s.source(), Sink: sink})
		r.Resume("7")
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { r.Run(ctx) })
		synctest.Wait()
		(<-s.watches).Add(thing("a", "8"))
		synctest.Wait()
		if state := r.State(); state.Lists != 0 || !state.Synced || state.ResourceVersion != "8" || r.ResumesAt() != "" {
			t.Errorf("the state is %+v", state)
		}
		cancel()
		running.Wait()
	})
}
