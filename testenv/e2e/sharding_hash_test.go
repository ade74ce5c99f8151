package e2e

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/kubernetes"
	"vedette.dev/rest"
	"vedette.dev/shard"
	"vedette.dev/testenv"
)

const (
	manyObjects  = 20000
	manyShards   = 8
	teams        = 10
	shardingGate = "ShardedListAndWatch"
)

var shardingConfigMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

// TestShardingWithSelection is on a server that selects objects by hash: each shard has a stream of its own, with its own objects.
func TestShardingWithSelection(t *testing.T) {
	h := newHashing(t, true)
	h.sync()
	h.divide()
	h.change("first")
	h.reshard()
	h.storm(4 * time.Second)
	h.forget()
}

// TestShardingWithoutSelection is on a server that knows nothing of hashes: there is one stream for all shards.
func TestShardingWithoutSelection(t *testing.T) {
	h := newHashing(t, false)
	h.sync()
	h.change("first")
	h.reshard()
	h.storm(4 * time.Second)
}

// hashing is a server with 20,000 config maps, and an informer of them with eight shards by the hash of the UID.
type hashing struct {
	t        *testing.T
	selects  bool
	env      *testenv.Env
	config   *rest.Config
	client   kubernetes.Interface
	traffic  *traffic
	informer *shard.TypedShardingInformer[*corev1.ConfigMap]
	ledger   *ledger[*corev1.ConfigMap]
}

func newHashing(t *testing.T, selects bool) *hashing {
	env := testenv.New(t, testenv.Config{FeatureGates: map[string]bool{shardingGate: selects}})
	h := &hashing{t: t, selects: selects, env: env, config: env.RESTConfig()}
	client, err := kubernetes.NewForConfig(closing(t, h.config))
	if err != nil {
		t.Fatal(err)
	}
	h.client = client
	for i := range teams {
		team := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("team-%d", i)}}
		if _, err := client.CoreV1().Namespaces().Create(t.Context(), team, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Now()
	newStore(t, env).put("configmaps", manyConfigMaps(manyObjects)...)
	t.Logf("%d objects were written in %v", manyObjects, time.Since(begin).Round(time.Millisecond))
	return h
}

// manyConfigMaps are of a few hundred bytes each.
func manyConfigMaps(n int) (out []runtime.Object) {
	uids := newUIDs(7)
	made := metav1.NewTime(time.Now().Truncate(time.Second))
	for i := range n {
		out = append(out, &corev1.ConfigMap{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{
				Namespace: fmt.Sprintf("team-%d", i%teams), Name: fmt.Sprintf("settings-%05d", i), UID: uids.next(),
				CreationTimestamp: made, Labels: map[string]string{"app": "web", "part": fmt.Sprint(i % 7)},
			},
			Data: map[string]string{"settings.yaml": strings.Repeat("level: info\n", 25)},
		})
	}
	return out
}

// sync starts the informer, and looks at what it asked for.
func (h *hashing) sync() {
	h.t.Helper()
	var counted *rest.Config
	h.traffic, counted = newTraffic(h.t, h.config, "configmaps")
	begin := time.Now()
	h.informer, h.ledger = runSharded(h.t, shard.Config[*corev1.ConfigMap]{
		Resource: shardingConfigMaps, REST: counted, Source: shard.Hash(shard.ByUID(), manyShards),
	})
	awaitSync(h.t, h.informer)
	h.t.Logf("synced after %v", time.Since(begin).Round(time.Millisecond))
	h.agree()
	h.healthy()
	lists, questions, watches := h.traffic.since(0)
	h.t.Logf("%d lists, %d questions, %d watches", len(lists), len(questions), len(watches))
	if len(lists) != 0 || len(questions) > 2 {
		h.t.Errorf("%d lists and %d questions, want none, and two at most", len(lists), len(questions))
	}
	want := 1
	if h.selects {
		want = manyShards
	}
	if len(watches) != want || h.informer.Streams() != want {
		h.t.Errorf("%d watches for %d streams, want %d", len(watches), h.informer.Streams(), want)
	}
	for _, w := range watches {
		if (w.selector() != "") != h.selects {
			h.t.Errorf("a watch has the selector %q", w.selector())
		}
	}
}

// onServer is key → version, by a client that does not know of shards.
func (h *hashing) onServer() map[string]string {
	h.t.Helper()
	out := map[string]string{}
	options := metav1.ListOptions{}
	for {
		list, err := h.client.CoreV1().ConfigMaps("").List(h.t.Context(), options)
		if err != nil {
			h.t.Fatal(err)
		}
		for i := range list.Items {
			out[list.Items[i].Namespace+"/"+list.Items[i].Name] = list.Items[i].ResourceVersion
		}
		if options.Continue = list.Continue; options.Continue == "" {
			return out
		}
	}
}

// agree waits until the informer has what the server has, and looks whether each object is in the shard of its hash.
func (h *hashing) agree() {
	h.t.Helper()
	want := h.onServer()
	settles(h.t, "informer and server agree", func() error { return agrees(h.informer, h.ledger, want) })
	for _, s := range h.informer.Shards() {
		for _, obj := range h.informer.View(s.ID).List() {
			cm := obj.(*corev1.ConfigMap)
			if sum := fnvOf(string(cm.UID)); !slices.ContainsFunc(s.Scope.Ranges, func(r shard.Range) bool { return r.Contains(sum) }) {
				h.t.Fatalf("%s/%s has the hash %x and is in shard %s, which is %s", cm.Namespace, cm.Name, sum, s.ID, s.Scope)
			}
		}
	}
}

// fnvOf is the hash that the server has.
func fnvOf(text string) uint64 {
	hash := fnv.New64a()
	hash.Write([]byte(text))
	return hash.Sum64()
}

// healthy looks at the states of the shards.
func (h *hashing) healthy() {
	h.t.Helper()
	for _, s := range h.informer.Shards() {
		if s.Cause != nil || s.Err() != nil {
			h.t.Errorf("shard %s: %v, %v", s.ID, s.Cause, s.Err())
		}
	}
}

// divide compares what each stream brought with what one for all brings.
func (h *hashing) divide() {
	h.t.Helper()
	whole := h.whole()
	most, total := int64(0), int64(0)
	_, _, watches := h.traffic.since(0)
	selectors := map[string]bool{}
	for _, w := range watches {
		most, total = max(most, w.bytes.Load()), total+w.bytes.Load()
		selectors[w.selector()] = true
	}
	part := float64(most) / float64(whole) * manyShards
	h.t.Logf("one stream for all: %d bytes; %d streams: %d bytes, the largest %d (%.3f of an eighth of all)",
		whole, len(watches), total, most, part)
	if part > 1.05 {
		h.t.Errorf("a stream brought %d bytes, which is %.3f of an eighth of %d, want 1.05 at most", most, part, whole)
	}
	if len(selectors) != manyShards {
		h.t.Errorf("the streams have %d different selectors", len(selectors))
	}
}

// whole is how many bytes it is if nothing is selected.
func (h *hashing) whole() int64 {
	h.t.Helper()
	traffic, counted := newTraffic(h.t, h.config, "configmaps")
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.ConfigMap]{
		Resource: shardingConfigMaps, REST: counted, Source: shard.Shards(shard.Shard{ID: "all"}),
	})
	if err != nil {
		h.t.Fatal(err)
	}
	stop := startSharded(h.t, informer, shard.HandlerFuncs[*corev1.ConfigMap]{})
	awaitSync(h.t, informer)
	stop()
	_, _, watches := traffic.since(0)
	if len(watches) != 1 {
		h.t.Fatalf("%d watches for everything", len(watches))
	}
	return watches[0].bytes.Load()
}

// changes is how many objects are created, changed and deleted in a round.
const changes = 40

// change changes objects, and waits until that has arrived, with one call of the handler for each.
func (h *hashing) change(round string) {
	h.t.Helper()
	ctx, before := h.t.Context(), h.ledger.told()
	maps := func(namespace string) interface {
		Create(context.Context, *corev1.ConfigMap, metav1.CreateOptions) (*corev1.ConfigMap, error)
		Delete(context.Context, string, metav1.DeleteOptions) error
		Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (*corev1.ConfigMap, error)
	} {
		return h.client.CoreV1().ConfigMaps(namespace)
	}
	for i := range changes {
		_, err1 := maps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%03d", round, i)}}, metav1.CreateOptions{})
		patch := fmt.Appendf(nil, `{"data":{"round":%q}}`, round)
		_, err2 := maps(fmt.Sprintf("team-%d", i%teams)).Patch(ctx, fmt.Sprintf("settings-%05d", i), types.MergePatchType, patch, metav1.PatchOptions{})
		gone := i + changes*(1+h.informerRound(round))
		err3 := maps(fmt.Sprintf("team-%d", gone%teams)).Delete(ctx, fmt.Sprintf("settings-%05d", gone), metav1.DeleteOptions{})
		if err := errors.Join(err1, err2, err3); err != nil {
			h.t.Fatal(err)
		}
	}
	h.agree()
	if calls := h.ledger.told() - before; calls != 3*changes {
		h.t.Errorf("the handler was called %d times for %d changes", calls, 3*changes)
	}
}

// rounds are in the order of the test.
var rounds = []string{"first", "resized", "split", "merged", "reduced", "forgotten"}

func (h *hashing) informerRound(round string) int { return slices.Index(rounds, round) }

// reshard changes the shards, in all ways.
func (h *hashing) reshard() {
	h.t.Helper()
	h.step("resized", 1.0/(manyShards+1)+0.01, func() error {
		moved, err := h.informer.Resize(manyShards + 1)
		h.t.Logf("%d shards after %d: %.4f of the objects moved by plan, imbalance %.3f", manyShards+1, manyShards, moved.Part, moved.Imbalance)
		return err
	})
	h.step("split", 1.0/manyShards, func() error { return h.informer.Split("003", "003a", "003b", "003c") })
	h.step("merged", 1.0/manyShards+0.1, func() error { return h.informer.Merge("003", "003a", "003b", "003c") })
	h.step("reduced", 1.0/(manyShards+1)+0.01, func() error {
		_, err := h.informer.Resize(manyShards)
		return err
	})
}

// step changes the shards in one way. That must not list anything or tell the handler anything, and move no more than need be.
func (h *hashing) step(name string, limit float64, do func() error) {
	h.t.Helper()
	was, told, made := homes(h.informer), h.ledger.told(), h.traffic.made()
	begin := time.Now()
	if err := do(); err != nil {
		h.t.Fatalf("%s: %v", name, err)
	}
	took := time.Since(begin)
	moved := 0
	for key, home := range homes(h.informer) {
		if was[key] != home {
			moved++
		}
	}
	part := float64(moved) / float64(len(was))
	if part > limit {
		h.t.Errorf("%s: %.4f of the objects are elsewhere, want %.4f at most", name, part, limit)
	}
	h.resumed(name, made)
	if calls := h.ledger.told() - told; calls != 0 {
		h.t.Errorf("%s: the handler was called %d times", name, calls)
	}
	h.change(name) // what else was to come has come when this is told
	h.healthy()
	lists, questions, watches := h.traffic.since(made)
	bytes := int64(0)
	for _, w := range watches {
		bytes += w.bytes.Load()
	}
	h.t.Logf("%s in %v: %.4f of %d objects moved; %d lists, %d questions, %d watches, %d bytes with %d changes", name,
		took.Round(time.Millisecond), part, len(was), len(lists), len(questions), len(watches), bytes, 3*changes)
	h.resumed(name, made)
}

// resumed looks at the requests after a change of the shards.
func (h *hashing) resumed(name string, made int) {
	h.t.Helper()
	lists, questions, watches := h.traffic.since(made)
	if len(lists)+len(questions) != 0 {
		h.t.Errorf("%s: %d lists and %d questions, want none", name, len(lists), len(questions))
	}
	if !h.selects && len(watches) != 0 {
		h.t.Errorf("%s: %d watches, want the one that was there", name, len(watches))
	}
	for _, w := range watches {
		if !w.resumes() {
			h.t.Errorf("%s: a watch does not resume: %v", name, w.query)
		}
	}
	want := 1
	if h.selects {
		want = len(h.informer.Shards())
	}
	settles(h.t, name, func() error {
		if open := len(h.traffic.watching()); open != want {
			return fmt.Errorf("%d watches are open, want %d", open, want)
		}
		return nil
	})
}
