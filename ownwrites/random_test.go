package ownwrites

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	typed "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/rest"
	"vedette.dev/shard"
)

var (
	histories = flag.Int("histories", 2, "how many random histories TestReadYourWrites tries with each sort of informer")
	firstSeed = flag.Uint64("seed", 1, "the seed of the first of them")
)

// story is a random history: own writes and writes of others to a few names, seen through the overlay of an informer, with faults
// between the server and the informer. There are two servers if the informer has two clusters.
type story struct {
	t       *testing.T
	random  *rand.Rand
	servers map[string]*apitest.Server // by cluster
	clients map[string]*typed.CoreV1Client
	tracker *Tracker
	faults  []*apitest.Injection
	log     []string

	// states is the versions that each key had on the server, in order; empty means that there was no object. floor is the number of
	// the state that the newest own write left.
	states map[string][]string
	floor  map[string]int

	writes, reads, quiet int
}

// informers are the sorts of informers. Most shards have limits, so that they fall behind others.
var informers = map[string]func(s *story) cache.SharedIndexInformer{
	"shared": func(s *story) cache.SharedIndexInformer {
		return cache.NewSharedIndexInformerWithOptions(s.listWatch(""), &corev1.ConfigMap{}, options)
	},
	"namespaces": func(s *story) cache.SharedIndexInformer {
		return cache.NewNamespacedInformer(s.listWatch, &corev1.ConfigMap{}, storyNamespaces, options)
	},
	"shards by namespace": func(s *story) cache.SharedIndexInformer {
		return s.sharded(shard.Shards(s.limited(shard.Scope{Namespaces: []string{"one"}}, shard.Scope{Namespaces: []string{"two"}})...))
	},
	"shards by label": func(s *story) cache.SharedIndexInformer {
		return s.sharded(shard.Shards(s.limited(shard.Scope{Labels: "t=a"}, shard.Scope{Labels: "t=b"})...))
	},
	"shards by hash": func(s *story) cache.SharedIndexInformer { return s.sharded(shard.Hash(shard.ByUID(), 4)) },
	"shards by hash with limits": func(s *story) cache.SharedIndexInformer {
		var scopes []shard.Scope
		for _, r := range shard.EqualRanges(3) {
			scopes = append(scopes, shard.Scope{Hash: shard.ByUID(), Ranges: []shard.Range{r}})
		}
		return s.sharded(shard.Shards(s.limited(scopes...)...))
	},
	"clusters": func(s *story) cache.SharedIndexInformer {
		var scopes []shard.Scope
		for _, cluster := range []string{"east", "west"} {
			for _, value := range []string{"a", "b"} {
				scopes = append(scopes, shard.Scope{Cluster: cluster, REST: s.server(cluster).RESTConfig(), Labels: "t=" + value})
			}
		}
		return s.sharded(shard.Shards(s.limited(scopes...)...))
	},
}

var (
	storyNamespaces = []string{"one", "two"}
	storyNames      = []string{"x", "y", "z"}
	options         = cache.SharedIndexInformerOptions{Indexers: cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}}
)

func (s *story) server(cluster string) *apitest.Server {
	if s.servers[cluster] == nil {
		// With a server that selects by hash, objects that had the same name one after the other come through different streams.
		selects := s.random.IntN(2) == 0
		s.servers[cluster] = apitest.New(s.t, apitest.Config{InMemory: true, CreateNamespaces: true, ShardSelectors: selects})
		client, err := typed.NewForConfig(s.servers[cluster].RESTConfig())
		mustNot(s.t, err)
		s.clients[cluster] = client
	}
	return s.servers[cluster]
}

func (s *story) listWatch(namespace string) cache.ListerWatcher {
	s.server("")
	return cache.NewListWatchFromClient(s.clients[""].RESTClient(), "configmaps", namespace, nil)
}

func (s *story) sharded(source shard.Source) cache.SharedIndexInformer {
	var config *rest.Config
	if len(s.servers) == 0 {
		config = s.server("").RESTConfig()
	}
	informer, err := shard.NewShardingInformer(shard.Config[metav1.Object]{
		Resource: configMaps, REST: config, Example: &corev1.ConfigMap{}, Source: source, Informer: options,
	})
	mustNot(s.t, err)
	return informer
}

// limited makes shards of scopes, of which half have a limit.
func (s *story) limited(scopes ...shard.Scope) (out []shard.Shard) {
	for i, scope := range scopes {
		one := shard.Shard{ID: fmt.Sprint(i), Scope: scope}
		if s.random.IntN(2) == 0 {
			one.Limits.EventsPerSecond = []float64{0.3, 1, 5}[s.random.IntN(3)]
		}
		out = append(out, one)
	}
	return out
}

// TestReadYourWrites checks at all times that reads through the overlay show what an own write has left, or something newer; and that
// the overlay is empty when everything has calmed down.
func TestReadYourWrites(t *testing.T) {
	for sort, informer := range informers {
		t.Run(sort, func(t *testing.T) {
			writes, reads, quiet := 0, 0, 0
			for i := range *histories {
				seed := *firstSeed + uint64(i)
				synctest.Test(t, func(t *testing.T) {
					s := &story{
						t: t, random: rand.New(rand.NewPCG(seed, 0)),
						servers: map[string]*apitest.Server{}, clients: map[string]*typed.CoreV1Client{},
						states: map[string][]string{}, floor: map[string]int{},
					}
					s.run(informer(s))
					writes, reads, quiet = writes+s.writes, reads+s.reads, quiet+s.quiet
				})
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			t.Logf("%d histories, %d own writes, %d reads of all names, %d times quiet", *histories, writes, reads, quiet)
		})
	}
}

func (s *story) run(informer cache.SharedIndexInformer) {
	ctx, cancel := context.WithCancel(s.t.Context())
	var err error
	s.tracker, err = New(informer, Config{})
	mustNot(s.t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		informer.RunWithContext(ctx)
	}()
	defer func() {
		cancel()
		<-ended
		mustNot(s.t, s.tracker.Close())
	}()
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		s.t.Fatal("not synced")
	}
	for range 3 {
		for range 25 {
			s.step(ctx)
			s.read()
			if s.t.Failed() {
				return
			}
		}
		s.calmDown()
		if s.t.Failed() {
			return
		}
	}
}

// name is one object that is written to.
type name struct{ cluster, namespace, name string }

func (n name) key() string {
	return ident{n.cluster, cache.ObjectName{Namespace: n.namespace, Name: n.name}}.String()
}

func (s *story) names() (out []name) {
	for cluster := range s.servers {
		for _, namespace := range storyNamespaces {
			for _, one := range storyNames {
				out = append(out, name{cluster, namespace, one})
			}
		}
	}
	slices.SortFunc(out, func(a, b name) int { return strings.Compare(a.key(), b.key()) })
	return out
}

func (s *story) step(ctx context.Context) {
	names := s.names()
	n := names[s.random.IntN(len(names))]
	switch p := s.random.IntN(100); {
	case p < 45:
		s.own(ctx, n)
	case p < 65:
		s.foreign(ctx, n)
	case p < 80:
		s.fault()
	default:
		pause := time.Duration(s.random.IntN(3000)) * time.Millisecond
		s.note("pause %v", pause)
		time.Sleep(pause)
	}
}

func (s *story) note(format string, args ...any) {
	s.log = append(s.log, fmt.Sprintf("%v %s", time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)), fmt.Sprintf(format, args...)))
}

func (s *story) make(n name) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: n.namespace, Name: n.name, Labels: map[string]string{"t": []string{"a", "b"}[s.random.IntN(2)]}},
		Data:       map[string]string{"key": n.key(), "random": fmt.Sprint(s.random.Uint64())},
	}
}

// current returns what the server has, or nil.
func (s *story) current(ctx context.Context, n name) *corev1.ConfigMap {
	obj, err := s.servers[n.cluster].Get(ctx, configMaps, n.namespace, n.name)
	if err != nil {
		return nil
	}
	return obj.(*corev1.ConfigMap)
}

// happened notes what the server has after a write.
func (s *story) happened(ctx context.Context, n name) {
	version := ""
	if is := s.current(ctx, n); is != nil {
		version = is.ResourceVersion
	}
	key := n.key()
	if len(s.states[key]) == 0 {
		s.states[key] = []string{""}
	}
	if last := len(s.states[key]) - 1; s.states[key][last] != version {
		s.states[key] = append(s.states[key], version)
	}
}

// own is a write through a client that records it. Sometimes the answer is lost.
func (s *story) own(ctx context.Context, n name) {
	tracker := s.tracker
	if n.cluster != "" {
		tracker = tracker.InCluster(n.cluster)
	}
	client := Client(s.clients[n.cluster].ConfigMaps(n.namespace), tracker)
	is := s.current(ctx, n)
	var err error
	what := ""
	switch p := s.random.IntN(4); {
	case is == nil:
		what = "create"
		_, err = client.Create(ctx, s.make(n), metav1.CreateOptions{})
	case p == 0:
		what = "update"
		next := s.make(n)
		next.ResourceVersion = is.ResourceVersion
		_, err = client.Update(ctx, next, metav1.UpdateOptions{})
	case p == 1:
		what = "patch"
		data := fmt.Appendf(nil, `{"metadata":{"labels":{"t":%q}},"data":{"random":"%d"}}`, s.make(n).Labels["t"], s.random.Uint64())
		_, err = client.Patch(ctx, n.name, types.MergePatchType, data, metav1.PatchOptions{})
	default:
		what = "delete"
		err = client.Delete(ctx, n.name, metav1.DeleteOptions{})
	}
	s.happened(ctx, n)
	key := n.key()
	s.note("own %s of %s: %v, is %q", what, key, err, s.states[key][len(s.states[key])-1])
	if err == nil {
		s.writes++
		s.floor[key] = len(s.states[key]) - 1
	}
}

// foreign is one or more writes of others, in one moment.
func (s *story) foreign(ctx context.Context, n name) {
	for range 1 + s.random.IntN(4) {
		server, is := s.servers[n.cluster], s.current(ctx, n)
		next := s.make(n)
		var err error
		switch {
		case is == nil:
			_, err = server.Create(ctx, next)
		case s.random.IntN(2) == 0:
			next.ResourceVersion = is.ResourceVersion
			_, err = server.Update(ctx, next)
		default:
			err = server.Delete(ctx, next, metav1.DeleteOptions{})
		}
		mustNot(s.t, err)
		s.happened(ctx, n)
	}
	key := n.key()
	s.note("foreign writes to %s, is %q", key, s.states[key][len(s.states[key])-1])
}

func (s *story) fault() {
	watch, list, write := []string{"watch"}, []string{"list"}, []string{"create", "update", "patch", "delete"}
	faults := []apitest.Fault{
		{Match: apitest.Match{Verbs: watch}, Effect: apitest.Lag, Delay: time.Duration(1+s.random.IntN(4000)) * time.Millisecond},
		{Match: apitest.Match{Verbs: watch}, Effect: apitest.Lag, Delay: time.Duration(1+s.random.IntN(4000)) * time.Millisecond, Times: 1 + s.random.IntN(5)},
		{Match: apitest.Match{Verbs: watch}, Effect: apitest.Cut, Times: 1},
		{Match: apitest.Match{Verbs: watch}, Effect: apitest.EndExpired, Times: 1 + s.random.IntN(2)},
		{Match: apitest.Match{Verbs: watch}, Effect: apitest.AnswerExpired, Times: 1},
		{Match: apitest.Match{Verbs: list}, Effect: apitest.AnswerForbidden, Times: 1 + s.random.IntN(3)},
		{Match: apitest.Match{Verbs: list}, Effect: apitest.Cut, Times: 1},
		{Match: apitest.Match{Verbs: write}, Effect: apitest.Cut, Times: 1},
		{Match: apitest.Match{Verbs: write}, Effect: apitest.AnswerInternalError, Times: 1},
	}
	f := faults[s.random.IntN(len(faults))]
	f.Match.Resource = "configmaps"
	for cluster, server := range s.servers {
		injected, err := server.Inject(f)
		mustNot(s.t, err)
		s.faults = append(s.faults, injected)
		s.note("fault in cluster %q: %v", cluster, f)
	}
}

// read checks what the overlay shows under all names.
func (s *story) read() {
	s.reads++
	indexer := s.tracker.Indexer()
	for _, n := range s.names() {
		obj, exists, err := indexer.GetByKey(n.key())
		mustNot(s.t, err)
		s.check("Get", n.key(), exists, obj)
	}
	s.checkList("List", storyNamespaces, indexer.List())
	for _, namespace := range storyNamespaces {
		list, err := indexer.ByIndex(cache.NamespaceIndex, namespace)
		mustNot(s.t, err)
		s.checkList("ByIndex", []string{namespace}, list)
	}
	keys := indexer.ListKeys()
	if sorted := slices.Clone(keys); len(keys) != len(slices.Compact(slices.Sorted(slices.Values(sorted)))) {
		s.fail("ListKeys has a key twice: %v", keys)
	}
	for _, n := range s.names() {
		if !slices.Contains(keys, n.key()) {
			s.check("ListKeys", n.key(), false, nil)
		}
	}
}

func (s *story) checkList(method string, namespaces []string, list []any) {
	byKey := map[string]any{}
	for _, obj := range list {
		key := obj.(*corev1.ConfigMap).Data["key"]
		if byKey[key] != nil {
			s.fail("%s has %s twice", method, key)
		}
		byKey[key] = obj
	}
	for _, n := range s.names() {
		if slices.Contains(namespaces, n.namespace) {
			obj, exists := byKey[n.key()]
			s.check(method, n.key(), exists, obj)
		}
	}
}

// check checks that a state is that of the newest own write, or a newer one.
func (s *story) check(method, key string, exists bool, obj any) {
	states := s.states[key]
	floor, written := s.floor[key]
	if !written {
		return
	}
	version := ""
	if exists {
		if got := obj.(*corev1.ConfigMap).Data["key"]; got != key {
			s.fail("%s of %s shows the object %s", method, key, got)
		}
		version = metaOf(obj).GetResourceVersion()
	}
	if !slices.Contains(states[floor:], version) {
		s.fail("%s of %s shows version %q; versions were %q, and number %d is that of the last own write", method, key, version, states, floor)
	}
}

func (s *story) fail(format string, args ...any) {
	s.t.Helper()
	if !s.t.Failed() {
		s.note("FAIL")
		s.t.Errorf(format+"\n%s", append(args, strings.Join(s.log, "\n"))...)
	}
}

// calmDown takes the faults away and waits for bookmarks. Then the overlay is empty, and the informer has what the servers have.
func (s *story) calmDown() {
	for _, f := range s.faults {
		f.Remove()
	}
	s.faults = nil
	s.note("calm")
	time.Sleep(5 * time.Minute)
	synctest.Wait()
	s.quiet++
	if stats := s.tracker.Stats(); stats.Waiting != 0 {
		s.fail("the overlay is not empty: %+v", stats)
	}
	mustNot(s.t, s.tracker.check())
	indexer := s.tracker.Indexer()
	for _, n := range s.names() {
		if states := s.states[n.key()]; len(states) > 0 {
			version := ""
			if obj, exists, _ := indexer.GetByKey(n.key()); exists {
				version = metaOf(obj).GetResourceVersion()
			}
			if last := states[len(states)-1]; version != last {
				s.fail("after all, %s has version %q, and the server %q", n.key(), version, last)
			}
		}
	}
	s.read()
}
