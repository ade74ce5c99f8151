package shardgroup

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/internal/clock/clocktest"
	coreclient "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/rest"
	"vedette.dev/shard"
)

// slowWatch delivers changes with a delay in watches with a label selector. The state at the start of a watch comes at once.
type slowWatch struct {
	next  http.RoundTripper
	delay time.Duration
}

func (s slowWatch) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := s.next.RoundTrip(req)
	query := req.URL.Query()
	if err == nil && query.Get("watch") != "" && query.Get("labelSelector") == "work" {
		resp.Body = &slowBody{ReadCloser: resp.Body, delay: s.delay, initial: query.Get("sendInitialEvents") == "true", closed: make(chan struct{})}
	}
	return resp, err
}

type slowBody struct {
	io.ReadCloser
	delay   time.Duration
	initial bool
	closed  chan struct{}
	once    sync.Once
}

func (s *slowBody) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.ReadCloser.Close()
}

func (s *slowBody) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if !s.initial {
		select {
		case <-time.After(s.delay):
		case <-s.closed:
			return 0, net.ErrClosed
		}
	} else if bytes.Contains(p[:n], []byte(metav1.InitialEventsAnnotationKey)) {
		s.initial = false
	}
	return n, err
}

// withInformer is a member with an informer of the ConfigMaps that have the label "work".
type withInformer struct {
	*running
	informer *shard.TypedShardingInformer[*corev1.ConfigMap]
	objects  coreclient.ConfigMapInterface
	stopAll  func()
}

func startWithInformer(t *testing.T, server *apitest.Server, selector string, change func(*Config)) *withInformer {
	t.Helper()
	config := Config{Name: "group", Namespace: "default", REST: rest.CopyConfig(server.RESTConfig()), Shards: 2, Key: shard.ByName(), Identity: "m"}
	if change != nil {
		change(&config)
	}
	g, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.ConfigMap]{
		Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
		REST:     config.REST, Source: g.Source(), Partial: true,
		Tweak: func(o *metav1.ListOptions) { o.LabelSelector = selector },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Bind(g, informer); err != nil {
		t.Fatal(err)
	}
	core, err := coreclient.NewForConfig(g.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	all, stopAll := context.WithCancel(t.Context())
	m := &withInformer{running: &running{Group: g, cancel: cancel, done: make(chan struct{})}, informer: informer, objects: core.ConfigMaps("default")}
	go func() {
		defer close(m.done)
		m.err = g.Run(ctx)
	}()
	var running sync.WaitGroup
	running.Go(func() { informer.RunWithContext(all) })
	m.stopAll = func() {
		stopAll()
		running.Wait()
	}
	return m
}

func createWork(t *testing.T, server *apitest.Server, n int) {
	t.Helper()
	for i := range n {
		_, err := server.Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("cm-%d", i), Namespace: "default", Labels: map[string]string{"work": ""}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// count adds 1 to the number in an object, as long as the member owns its shard. It returns the last number.
func (m *withInformer) count(ctx context.Context, name string) (n int) {
	i, _ := m.ShardOfName("default", name)
	for ; ; time.Sleep(20 * time.Millisecond) {
		ctx, done, err := m.Begin(ctx, i)
		if err != nil {
			return n
		}
		cm, err := m.objects.Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			cm.Data = map[string]string{"n": fmt.Sprint(n + 1)}
			if _, err = m.objects.Update(ctx, cm, metav1.UpdateOptions{}); err == nil {
				n++
			}
		}
		done()
	}
}

// A new owner begins when its informer has what the former owner wrote last, though its watch is slow.
func TestANewOwnerHasWhatTheFormerOwnerWrote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		createWork(t, server, 8)
		a := startWithInformer(t, server, "work", nil)
		time.Sleep(20 * time.Second)
		var last [8]chan int
		for i := range last {
			last[i] = make(chan int, 1)
			go func() { last[i] <- a.count(t.Context(), fmt.Sprintf("cm-%d", i)) }()
		}
		b := startWithInformer(t, server, "work", func(c *Config) {
			c.REST.Wrap(func(next http.RoundTripper) http.RoundTripper { return slowWatch{next, time.Second} })
		})
		time.Sleep(15 * time.Second)
		a.cancel()
		begun := map[string]bool{}
		for began := time.Now(); len(begun) < 8 && time.Since(began) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
			for i := range last {
				name := fmt.Sprintf("cm-%d", i)
				if begun[name] {
					continue
				}
				in, _ := b.ShardOfName("default", name)
				_, done, err := b.Begin(t.Context(), in)
				if err != nil {
					continue
				}
				obj, _, _ := b.informer.View(ShardID(in)).GetByKey("default/" + name)
				written := fmt.Sprint(<-last[i])
				if cm, ok := obj.(*corev1.ConfigMap); !ok || cm.Data["n"] != written {
					t.Errorf("%s: the new owner begins with %v, and the former owner has written %s", name, obj, written)
				}
				done()
				begun[name] = true
			}
		}
		if len(begun) != 8 {
			t.Errorf("the new owner has begun to work on %d of 8 objects", len(begun))
		}
		a.stop(t)
		a.stopAll()
		b.stop(t)
		b.stopAll()
	})
}

// An informer that does not get what was written does not hold up the shard for ever.
func TestANewOwnerDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		createWork(t, server, 8)
		a := startWithInformer(t, server, "work", nil)
		time.Sleep(20 * time.Second)
		var log safeBuffer
		b := startWithInformer(t, server, "work", func(c *Config) {
			c.Logger = slog.New(slog.NewTextHandler(&log, nil))
			c.REST.Wrap(func(next http.RoundTripper) http.RoundTripper { return slowWatch{next, time.Minute} })
		})
		time.Sleep(5 * time.Second)
		in, _ := a.ShardOfName("default", "cm-0")
		ctx, done, err := a.Begin(t.Context(), in)
		for ; err != nil; ctx, done, err = a.Begin(t.Context(), in) {
			in = 1 - in // each member has a shard
		}
		a.cancel()
		time.Sleep(3 * time.Second) // the other member has prepared the shard, and waits for what is written here
		for i := range 8 {
			name := fmt.Sprintf("cm-%d", i)
			if shard, _ := a.ShardOfName("default", name); shard != in {
				continue
			}
			cm, err := a.objects.Get(ctx, name, metav1.GetOptions{})
			if err == nil {
				cm.Data = map[string]string{"n": "1"}
				_, err = a.objects.Update(ctx, cm, metav1.UpdateOptions{})
			}
			if err != nil {
				t.Error(err)
			}
		}
		done()
		a.stop(t)
		time.Sleep(catchUpTimeout + 5*time.Second) // the last shard is granted after the member has left
		if n := len(b.Owned()); n != 2 {
			t.Errorf("the new owner may work in %d of 2 shards", n)
		}
		if text := log.String(); !strings.Contains(text, "Informer lacks what the former owner wrote") || !strings.Contains(text, "configmaps=") {
			t.Errorf("the log is\n%s", text)
		}
		a.stopAll()
		b.stop(t)
		b.stopAll()
	})
}

type safeBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

// Shards count by their objects: the member with a large shard gets fewer others.
func TestShardsAreDividedByTheirObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		shards := func(c *Config) { c.Shards = 8 }
		a := startWithInformer(t, server, "work", shards)
		n := make([]int, 8)
		for i := 0; n[3] < 140; i++ { // shard 3 gets 140 objects, and each of the others 20
			name := fmt.Sprintf("cm-%d", i)
			in, _ := a.ShardOfName("default", name)
			if in != 3 && n[in] >= 20 {
				continue
			}
			n[in]++
			_, err := server.Create(t.Context(), &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Labels: map[string]string{"work": ""}},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(20 * time.Second)
		if load := a.State().Shards[3].Load; load != 140 {
			t.Errorf("the load of a shard with 140 objects is %v", load)
		}
		b := startWithInformer(t, server, "work", shards)
		time.Sleep(20 * time.Second)
		for _, m := range []*withInformer{a, b} {
			owned := m.Owned()
			has := 0
			for _, i := range owned {
				has += n[i]
			}
			if has != 140 {
				t.Errorf("%s has %d of 280 objects in shards %v, want half", m.Name(), has, owned)
			}
		}
		a.stop(t)
		a.stopAll()
		b.stop(t)
		b.stopAll()
	})
}

// A load that the program measures takes the place of the number of objects, and what is not a load counts as unknown.
func TestLoadOfTheProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		var log safeBuffer
		load := func(c *Config) {
			c.Shards, c.Logger = 4, slog.New(slog.NewTextHandler(&log, nil))
			c.Load = func(i int) float64 { return []float64{100, 10, 10, 10}[i] }
		}
		a, b := start(t, server, load), start(t, server, load)
		time.Sleep(40 * time.Second)
		x, y := a.Owned(), b.Owned()
		if len(x)+len(y) != 4 || len(x) != 1 && len(y) != 1 {
			t.Errorf("the shards are divided as %v and %v, want the first alone", x, y)
		}
		if !strings.Contains(log.String(), `msg="Shard is larger than the share of a member"`) {
			t.Errorf("the log does not name the large shard:\n%s", log.String())
		}
		a.stop(t)
		b.stop(t)
	})
}

// A clock that was set back by days does not make a new map begin at epochs that were used before.
func TestEpochsGrowThoughTheClockIsSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		ahead, right := &clocktest.Clock{}, &clocktest.Clock{}
		ahead.Jump(0, 30*24*time.Hour)
		first := start(t, server, func(c *Config) { c.clock = ahead })
		time.Sleep(20 * time.Second)
		second := start(t, server, func(c *Config) { c.clock = right })
		time.Sleep(20 * time.Second)
		before := second.State().Shards[0].Epoch
		ahead.Jump(0, -60*24*time.Hour)
		if err := server.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "pods", Namespace: "default"}}, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(40 * time.Second)
		shards := second.State().Shards
		if shards == nil {
			t.Fatal("there is no new map")
		}
		for i, s := range shards {
			if s.Owner == "" || s.Epoch <= before {
				t.Errorf("shard %d of the new map has epoch %d and owner %q, and had epoch %d before", i, s.Epoch, s.Owner, before)
			}
		}
		first.stop(t)
		second.stop(t)
	})
}
