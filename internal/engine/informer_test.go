package engine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/codec"
	"vedette.dev/internal/fanout"
	"vedette.dev/internal/listwatch"
	"vedette.dev/internal/object"
	"vedette.dev/internal/table"
)

// origin is where a stream gets its objects from.
type origin struct {
	mu      sync.Mutex
	version string
	objects []metav1.PartialObjectMetadata
	watch   *watch.FakeWatcher
}

func newOrigin(version string, objects ...*metav1.PartialObjectMetadata) *origin {
	o := &origin{}
	o.set(version, objects...)
	return o
}

func (o *origin) set(version string, objects ...*metav1.PartialObjectMetadata) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.version, o.objects = version, nil
	for _, obj := range objects {
		o.objects = append(o.objects, *obj)
	}
}

func (o *origin) current() *watch.FakeWatcher {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.watch
}

// relist has the reflector list again.
func (o *origin) relist() { o.current().Error(&apierrors.NewResourceExpired("too old").ErrStatus) }

func (o *origin) source() listwatch.Source {
	return listwatch.Source{
		NoWatchList: true,
		List: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			o.mu.Lock()
			defer o.mu.Unlock()
			return &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: o.version}, Items: slices.Clone(o.objects)}, nil
		},
		Watch: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.watch = watch.NewFakeWithChanSize(100, false)
			return o.watch, nil
		},
	}
}

func thing(name, version string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("u-" + name), ResourceVersion: version}}
}

func testConfig() Config {
	return Config{
		Example:  &metav1.PartialObjectMetadata{},
		NewCodec: func(f func(any) (any, error)) (*codec.Codec, func(any) (any, error)) { return nil, f },
		Table:    table.Config{Decode: func(stored any) (any, error) { return object.Shared(stored, object.ForIndexFunc) }},
	}
}

// dividedConfig is that of an informer that is divided.
func dividedConfig() Config {
	config := testConfig()
	config.Table.OwnerIndex = &table.Index{Name: PartitionIndex, Func: func(any) ([]string, error) { return nil, nil }}
	return config
}

// running runs an informer while f runs.
func running(t *testing.T, s *Informer, f func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { s.Run(ctx) })
	defer run.Wait()
	defer cancel()
	f()
}

func handler(call func(n *fanout.Notification)) Handler {
	return Handler{Call: call, Name: func() string { return "test" }}
}

// diary notes notifications, which come from a goroutine for each partition.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) handler() Handler {
	return handler(func(n *fanout.Notification) {
		obj := n.New
		if obj == nil {
			obj = n.Old
		}
		what := map[fanout.Type]string{fanout.Added: "add", fanout.Updated: "update", fanout.Deleted: "delete"}[n.Type]
		d.mu.Lock()
		defer d.mu.Unlock()
		d.lines = append(d.lines, what+" "+n.Key+"@"+object.Of(obj).Version+" "+n.Partition.ID)
	})
}

// TestAPlainInformer plays a list, changes, and another list.
func TestAPlainInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOrigin("10", thing("a", "1"), thing("b", "2"))
		s := NewPlain(testConfig(), o.source())
		d := &diary{}
		r, err := s.AddHandler(d.handler(), HandlerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		running(t, s, func() {
			synctest.Wait()
			if !s.HasSynced() || s.Table().Version() != "10" {
				t.Errorf("synced %v, at %q", s.HasSynced(), s.Table().Version())
			}
			o.current().Modify(thing("a", "11"))
			o.current().Modify(thing("a", "12"))
			o.current().Delete(thing("b", "13"))
			synctest.Wait()
			o.set("20", thing("a", "12"), thing("c", "15"))
			o.relist()
			time.Sleep(time.Minute)
			synctest.Wait()
		})
		slices.Sort(d.lines[:2]) // the objects of a list are in no order
		want := []string{"add ns/a@1 ", "add ns/b@2 ", "update ns/a@11 ", "update ns/a@12 ", "delete ns/b@13 ", "add ns/c@15 "}
		if !slices.Equal(d.lines, want) {
			t.Errorf("got %q, want %q", d.lines, want)
		}
		state := s.State()
		if state.Objects != 2 || state.Phase != listwatch.PhaseStopped || len(state.Handlers) != 1 || state.Handlers[0].Handled != 6 {
			t.Errorf("the state is %+v", state)
		}
		<-r.Ended()
		if err := s.Table().Verify(); err != nil {
			t.Error(err)
		}
	})
}

// TestTwoStreamsAndTwoPartitions moves an object from one partition to another, by a change of it and by a change of the router.
func TestTwoStreamsAndTwoPartitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newOrigin("10", thing("a", "1")), newOrigin("10", thing("b", "2"))
		s := New(dividedConfig())
		d, only := &diary{}, &diary{}
		byVersion := func(_ string, e *Envelope) string {
			if e.Name == "a" {
				return "p"
			}
			return "q"
		}
		_, err := s.Change(PartitionChange{
			Add: []PartitionConfig{{ID: "p"}, {ID: "q"}}, Router: byVersion,
			Start: []StreamConfig{
				{Name: "a", Source: a.source(), Partitions: []string{"p", "q"}, Covers: func(e *Envelope) bool { return e.Name == "a" }},
				{Name: "b", Source: b.source(), Partitions: []string{"p", "q"}, Covers: func(e *Envelope) bool { return e.Name != "a" }},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Complete()
		for _, add := range []struct {
			d    *diary
			part string
		}{{d, ""}, {only, "q"}} {
			if _, err := s.AddHandler(add.d.handler(), HandlerOptions{Partition: add.part}); err != nil {
				t.Fatal(err)
			}
		}
		running(t, s, func() {
			synctest.Wait()
			if owner, ok := s.PartitionOf("ns/a"); owner != "p" || !ok {
				t.Errorf("a is in %q", owner)
			}
			if _, err := s.Change(PartitionChange{Router: func(string, *Envelope) string { return "q" }}); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			a.current().Modify(thing("a", "11"))
			synctest.Wait()
			if state, ok := s.Partition("q"); !ok || state.Objects != 2 || state.MovedIn != 1 {
				t.Errorf("the state of q is %+v", state)
			}
			if v := s.StoreVersionOf("ns/a"); v != "" {
				t.Errorf("the version of no streams is %q", v)
			}
		})
		slices.Sort(d.lines[:2])
		if want := []string{"add ns/a@1 p", "add ns/b@2 q", "update ns/a@11 q"}; !slices.Equal(d.lines, want) {
			t.Errorf("all: got %q, want %q", d.lines, want)
		}
		if want := []string{"add ns/b@2 q", "add ns/a@1 q", "update ns/a@11 q"}; !slices.Equal(only.lines, want) {
			t.Errorf("q: got %q, want %q", only.lines, want)
		}
		if err := s.Table().Verify(); err != nil {
			t.Error(err)
		}
	})
}

// A resync that was late does not make the informer skip the next one. It takes three seconds: in a bubble nothing is late.
func TestALateResyncDoesNotSkipTheNext(t *testing.T) {
	t.Parallel()
	config := testConfig()
	config.ResyncPeriod = time.Second
	s := NewPlain(config, newOrigin("1", thing("a", "1")).source())
	var resyncs atomic.Int64
	_, err := s.AddHandler(handler(func(n *fanout.Notification) {
		if n.Type == fanout.Updated {
			resyncs.Add(1)
		}
	}), HandlerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	running(t, s, func() {
		time.Sleep(900 * time.Millisecond)
		s.applyMu.Lock()
		time.Sleep(300 * time.Millisecond)
		s.applyMu.Unlock()
		time.Sleep(1650 * time.Millisecond)
		if n := resyncs.Load(); n != 2 {
			t.Errorf("%d resyncs in 2.85 s, want 2", n)
		}
	})
}

// The version of the store does not go back: a list waits for bookmarks that came before it.
func TestABookmarkDoesNotOvertakeAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOrigin("1", thing("a", "1"))
		s := NewPlain(testConfig(), o.source())
		running(t, s, func() {
			synctest.Wait()
			s.only.applying.Lock() // as a metric of the version that is slow
			o.current().Action(watch.Bookmark, thing("", "5"))
			synctest.Wait()
			o.current().Action(watch.Bookmark, thing("", "6"))
			o.set("10", thing("a", "9"))
			o.relist()
			time.Sleep(time.Minute)
			synctest.Wait()
			s.only.applying.Unlock()
			time.Sleep(time.Minute)
			synctest.Wait()
			if v := s.Table().Version(); v != "10" {
				t.Errorf("the version is %q", v)
			}
		})
	})
}

// A goroutine that waits for a partition and then looks at the stream, or gives it another partition, may do so before the reflector has
// noted its list.
func TestStreamHasSyncedWhenItsPartitionsHave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(dividedConfig())
		never := listwatch.Source{NoWatchList: true, ContextAware: true, List: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		streams, err := s.Change(PartitionChange{
			Add:   []PartitionConfig{{ID: "a"}},
			Start: []StreamConfig{{Source: never, Partitions: []string{"a"}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		running(t, s, func() {
			synctest.Wait()
			stream := streams[0]
			if stream.State().Synced {
				t.Error("synced before the list")
			}
			s.listed(stream) // as the sink of the stream does
			if !isClosed(s.PartitionSynced("a")) || !stream.State().Synced {
				t.Error("not synced")
			}
			change := PartitionChange{Add: []PartitionConfig{{ID: "b"}}, Feed: map[*Stream][]string{stream: {"a", "b"}}}
			if _, err := s.Change(change); err != nil {
				t.Fatal(err)
			}
			if !isClosed(s.PartitionSynced("b")) {
				t.Error("the new partition has not synced")
			}
		})
	})
}

// An object without a version says nothing about how far the store is.
func TestAnObjectWithoutAVersionDoesNotHideThatOfOthers(t *testing.T) {
	q := newDeltaQueue()
	in := q.newInbox()
	in.keepAll = true
	for _, version := range []string{"5", ""} {
		q.put(&pendingEvent{key: "a" + version, rev: object.Revision{Version: version}, stream: &Stream{}}, in, 0, nil)
	}
	if _, version, _ := q.take(in, 1); version != "5" {
		t.Errorf("the version is %q", version)
	}
}

// An event that follows another of its key does not make the first one younger.
func TestPendingSinceTheFirst(t *testing.T) {
	for _, keepAll := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			q := newDeltaQueue()
			in := q.newInbox()
			in.keepAll = keepAll
			stream := &Stream{}
			for range 2 {
				q.put(&pendingEvent{key: "a", deleted: true, stream: stream, at: time.Now().UnixNano()}, in, 0, nil)
				time.Sleep(time.Second)
			}
			if _, since, _ := q.waiting(in); time.Since(since) != 2*time.Second {
				t.Errorf("since %v", time.Since(since))
			}
		})
	}
}

func TestLagsBeyondAllBounds(t *testing.T) {
	var l Lags
	for _, bound := range LagBounds {
		l.add(bound)
	}
	l.add(time.Hour)
	if l.Within != [6]uint64{1, 1, 1, 1, 1, 1} || l.Batches != 7 {
		t.Errorf("%+v", l)
	}
}

// TestNamespaces adds namespaces and leaves them out. Objects of one that is left out are deleted, and nothing is remembered of it.
func TestNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := func(namespace string) listwatch.Source {
			obj := thing("x", "1")
			obj.Namespace = namespace
			return newOrigin("5", obj).source()
		}
		s := NewNamespaces(New(testConfig()))
		set := func(names ...string) {
			t.Helper()
			sources := map[string]listwatch.Source{}
			missing, err := s.Set(names, sources)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range missing {
				sources[name] = in(name)
			}
			if missing, err = s.Set(names, sources); err != nil || len(missing) > 0 {
				t.Fatal(missing, err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if got := s.Names(); !slices.Equal(got, names) {
				t.Errorf("the namespaces are %q, want %q", got, names)
			}
		}
		set("a")
		running(t, s.Informer, func() {
			synctest.Wait()
			set("a", "b")
			if v := s.StoreVersion("b"); v != "5" || s.Table().Len() != 2 {
				t.Errorf("b is at %q, with %d objects", v, s.Table().Len())
			}
			set("b")
			set("a", "b")
			set("b")
			if keys := s.Table().Keys(); !slices.Equal(keys, []string{"b/x"}) || s.StoreVersion("a") != "" {
				t.Errorf("the store has %q", keys)
			}
			s.mu.Lock()
			if len(s.leaving) > 0 {
				t.Errorf("%d namespaces are leaving", len(s.leaving))
			}
			s.mu.Unlock()
		})
		if _, err := s.Set([]string{"b"}, nil); err != ErrStopped {
			t.Errorf("after the end: %v", err)
		}
	})
}
