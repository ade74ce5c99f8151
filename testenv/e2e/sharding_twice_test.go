package e2e

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/kubernetes"
	"vedette.dev/rest"
	"vedette.dev/shard"
	"vedette.dev/testenv"
)

// A watch that takes the place of two begins at the older of their versions, and leaves out what the other had told. If it ends
// before it gets there, those that take its place have to leave that out as well.
func TestShardingTellsNothingTwice(t *testing.T) {
	env := testenv.New(t, testenv.Config{FeatureGates: map[string]bool{shardingGate: true}})
	client, err := kubernetes.NewForConfig(closing(t, env.RESTConfig()))
	if err != nil {
		t.Fatal(err)
	}
	writeConfigMaps(t, client, "default", 20)
	traffic, counted := newTraffic(t, env.RESTConfig(), "configmaps")
	gate := &heldRequests{}
	counted = rest.CopyConfig(counted)
	counted.Wrap(func(next http.RoundTripper) http.RoundTripper { gate.next = next; return gate })
	informer, ledger := runSharded(t, shard.Config[*corev1.ConfigMap]{
		Resource: shardingConfigMaps, REST: counted, Source: shard.Hash(shard.ByUID(), 2),
	})
	awaitSync(t, informer)
	agree := func() {
		t.Helper()
		settles(t, "informer and server agree", func() error {
			return agrees(informer, ledger, configMapsOf(t, client, "default", "kube-system"))
		})
	}
	agree()
	maps := client.CoreV1().ConfigMaps("default")
	for i := range 50 {
		name := manyNames("passing", 50)[i]
		if _, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		agree()
		if home, _ := informer.ShardOf("default/" + name); home != "001" {
			continue
		}
		// Of this, the other shard hears nothing.
		if _, err := maps.Patch(t.Context(), name, types.MergePatchType, []byte(`{"data":{"a":"b"}}`), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := maps.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		break
	}
	agree()
	told, made := ledger.told(), traffic.made()
	for _, s := range informer.Shards() {
		t.Logf("shard %s is at version %s", s.ID, s.ResourceVersion)
	}
	gate.hold()
	if err := informer.Merge("both", "000", "001"); err != nil {
		t.Fatal(err)
	}
	<-gate.waiting // the watch of both has been asked for, and is not answered
	if err := informer.Split("both", "000", "001"); err != nil {
		t.Fatal(err)
	}
	gate.release()
	writeConfigMaps(t, client, "default", 21) // changes 20, makes one
	agree()
	if calls := ledger.told() - told; calls != 21 {
		t.Errorf("the handler was called %d times for 21 changes", calls)
	}
	_, _, watches := traffic.since(made)
	for _, w := range watches {
		t.Logf("resumes %v from %s: %s", w.resumes(), w.query.Get("resourceVersion"), w.selector())
	}
}

// heldRequests keeps requests waiting.
type heldRequests struct {
	next http.RoundTripper

	mu      sync.Mutex
	open    chan struct{} // nil if none are held
	waiting chan struct{}
}

func (h *heldRequests) hold() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open, h.waiting = make(chan struct{}), make(chan struct{}, 100)
}

func (h *heldRequests) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.open)
	h.open = nil
}

func (h *heldRequests) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	open := h.open
	h.mu.Unlock()
	if open != nil {
		h.waiting <- struct{}{}
		select {
		case <-open:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	response, err := h.next.RoundTrip(r)
	if err == nil {
		response.Body = trickle{response.Body}
	}
	return response, err
}

// trickle is a body that comes in small pieces, so that what is in them is not taken together.
type trickle struct{ io.ReadCloser }

func (b trickle) Read(p []byte) (int, error) {
	time.Sleep(time.Millisecond)
	return b.ReadCloser.Read(p[:min(len(p), 100)])
}

func (h *heldRequests) WrappedRoundTripper() http.RoundTripper { return h.next }
