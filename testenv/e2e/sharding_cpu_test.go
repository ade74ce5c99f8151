//go:build unix

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest"
	"vedette.dev/rest"
	"vedette.dev/shard"
	"vedette.dev/testenv"
)

var shardingPods = corev1.SchemeGroupVersion.WithResource("pods")

// TestShardingLeavesOthersAlone measures what it costs to have one watch for all where the server does not select: the time that
// frames of other shards take, compared with that for those which are decoded. The watch is one of the real server, with pods as
// those of a real cluster are. It was written down, so that all informers read the same, and nothing else takes time.
func TestShardingLeavesOthersAlone(t *testing.T) {
	const pods, shards, rounds = 2000, 8, 5
	tape := recordPods(t, pods)
	t.Logf("%d changes of pods, %d bytes each", pods, (len(tape.bytes)-tape.listed)/pods)
	key := shard.ByUID()
	part := func(id string, r shard.Range) shard.Source {
		return shard.Shards(shard.Shard{ID: id, Scope: shard.Scope{Hash: key, Ranges: []shard.Range{r}}})
	}
	sources := []shard.Source{shard.Hash(key, shards), part("one", shard.EqualRanges(shards)[0]), part("none", shard.Range{Start: 0, End: 1})}
	owned := []int{pods, countIn(tape.pods, shard.EqualRanges(shards)[0]), 0}
	times := make([][]time.Duration, len(sources))
	for range rounds {
		for i, source := range sources {
			times[i] = append(times[i], tape.play(t, source, owned[i]))
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	// The smallest is the one that others have disturbed least.
	all, one, none := times[0][0], times[1][0], times[2][0]
	each := func(d time.Duration, n int) time.Duration { return (d / time.Duration(n)).Round(10 * time.Nanosecond) }
	others := pods - owned[1]
	ofOthers := one - all*time.Duration(owned[1])/pods
	t.Logf("all of %d shards: %v, %v a change; one of them, %d of %d pods: %v; none: %v", shards, all, each(all, pods), owned[1], pods, one, none)
	t.Logf("a frame of another shard takes %v, which is %.3f of what decoding takes; beside a shard that has some, %v, which is %.3f",
		each(none, pods), float64(none)/float64(all),
		each(ofOthers, others), float64(ofOthers)*pods/float64(all)/float64(others))
	if none > all/4 && !underRace {
		t.Errorf("frames of other shards take %v, want a quarter of %v at most", none, all)
	}
}

func countIn(pods []*corev1.Pod, r shard.Range) (n int) {
	for _, pod := range pods {
		if r.Contains(fnvOf(string(pod.UID))) {
			n++
		}
	}
	return n
}

// tape is a watch that was written down.
type tape struct {
	pods   []*corev1.Pod
	header http.Header
	bytes  []byte
	listed int // so many of the bytes are what was there in the beginning
}

// recordPods has pods on a server, each of which changes once.
func recordPods(t *testing.T, n int) *tape {
	t.Helper()
	env := testenv.New(t, testenv.Config{})
	store := newStore(t, env)
	tape := &tape{pods: realPods(t, n)}
	objects := make([]kruntime.Object, n)
	for i, pod := range tape.pods {
		objects[i] = pod
	}
	store.put("pods", objects...)
	recorder := &recorder{}
	config := rest.CopyConfig(closing(t, env.RESTConfig()))
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		recorder.next = next
		return recorder
	})
	updates := new(atomic.Int64)
	informer, stop := watchPods(t, config, shard.Shards(shard.Shard{ID: "all"}), updates)
	defer stop()
	awaitSync(t, informer)
	tape.listed = len(recorder.copy())
	for _, pod := range tape.pods {
		pod.Annotations["e2e.example.com/changed"] = "yes"
	}
	store.put("pods", objects...)
	settles(t, "all changes have come", func() error { return reached(updates, n) })
	tape.bytes, tape.header = recorder.copy(), recorder.header
	return tape
}

// realPods are those of apitest, under UIDs of the sort that servers give.
func realPods(t *testing.T, n int) (out []*corev1.Pod) {
	t.Helper()
	server := apitest.New(t, apitest.Config{InProcess: true})
	if err := server.Fill(t.Context(), apitest.Load{Pods: n}); err != nil {
		t.Fatal(err)
	}
	objects, _, err := server.List(t.Context(), shardingPods, "")
	if err != nil {
		t.Fatal(err)
	}
	series := newUIDs(11)
	for _, obj := range objects {
		pod := obj.(*corev1.Pod)
		pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
		pod.UID, pod.ResourceVersion = series.next(), ""
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		out = append(out, pod)
	}
	return out
}

func reached(n *atomic.Int64, want int) error {
	if got := n.Load(); got < int64(want) {
		return fmt.Errorf("%d, want %d", got, want)
	}
	return nil
}

// watchPods has an informer that is never asked whether the server selects, and counts updates.
func watchPods(t testing.TB, config *rest.Config, source shard.Source, updates *atomic.Int64) (*shard.TypedShardingInformer[*corev1.Pod], func()) {
	t.Helper()
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.Pod]{
		Resource: shardingPods, REST: config, Source: source, Partial: true, NoServerSelection: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return informer, startSharded(t, informer, shard.HandlerFuncs[*corev1.Pod]{
		UpdateFunc: func(string, *corev1.Pod, *corev1.Pod) { updates.Add(1) },
	})
}

// recorder writes down the body of the one watch that passes it.
type recorder struct {
	next   http.RoundTripper
	mu     sync.Mutex
	buffer bytes.Buffer
	header http.Header
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.next.RoundTrip(request)
	if err == nil {
		r.header = response.Header.Clone()
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(response.Body, r), response.Body}
	}
	return response, err
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buffer.Write(p)
}

func (r *recorder) copy() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.buffer.Bytes())
}

// play has an informer read the tape, and returns the processor time from the first change until all are in the store.
func (tp *tape) play(t *testing.T, source shard.Source, owned int) time.Duration {
	t.Helper()
	p := &player{tape: tp, play: make(chan struct{}), drained: make(chan struct{})}
	updates := new(atomic.Int64)
	informer, stop := watchPods(t, &rest.Config{Host: "http://tape.example", Transport: p, QPS: -1}, source, updates)
	defer stop()
	awaitSync(t, informer)
	runtime.GC()
	before := processorTime(t)
	close(p.play)
	<-p.drained
	for reached(updates, owned) != nil {
		time.Sleep(time.Millisecond)
	}
	took := processorTime(t) - before
	if n := len(informer.GetStore().ListKeys()); n != owned || updates.Load() != int64(owned) {
		t.Fatalf("%d pods and %d updates, want %d", n, updates.Load(), owned)
	}
	return took
}

func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// player is a server that has one answer.
type player struct {
	tape    *tape
	play    chan struct{} // is closed when the changes are to come
	drained chan struct{} // is closed when a test wants more than there is
	asked   atomic.Bool
	once    sync.Once
}

func (p *player) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Query().Get("sendInitialEvents") != "true" || p.asked.Swap(true) {
		return nil, errors.New("the tape has no answer to " + r.URL.String())
	}
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: p.tape.header.Clone(), Request: r,
		Body: &playing{player: p, ctx: r.Context()}, ContentLength: -1,
	}, nil
}

// playing is a body.
type playing struct {
	*player
	ctx context.Context
	at  int
}

func (b *playing) Read(p []byte) (int, error) {
	end := b.tape.listed
	if b.at >= end {
		select {
		case <-b.play:
			end = len(b.tape.bytes)
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		}
	}
	if b.at == len(b.tape.bytes) {
		b.once.Do(func() { close(b.drained) })
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	n := copy(p, b.tape.bytes[b.at:min(end, b.at+32<<10)])
	b.at += n
	return n, nil
}

func (b *playing) Close() error { return nil }
