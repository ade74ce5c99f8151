package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// storm has writers change objects as fast as they can while the shards change, again and again. Nothing is listed for that, and
// in the end all is where it belongs.
func (h *hashing) storm(lasts time.Duration) {
	h.t.Helper()
	made, told := h.traffic.made(), h.ledger.told()
	ctx, cancel := context.WithTimeout(h.t.Context(), lasts)
	defer cancel()
	var writers sync.WaitGroup
	var written atomic.Int64
	for seed := range uint64(3) {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1))
			for ctx.Err() == nil {
				written.Add(h.write(ctx, r))
			}
		})
	}
	r := rand.New(rand.NewPCG(99, 1))
	steps := 0
	for ; ctx.Err() == nil; steps++ {
		if err := h.anyStep(r, steps); err != nil {
			h.t.Errorf("step %d: %v", steps, err)
			cancel()
		}
	}
	writers.Wait()
	if _, err := h.informer.Resize(manyShards); err != nil {
		h.t.Error(err)
	}
	h.agree()
	lists, questions, watches := h.traffic.since(made)
	anew := 0
	for _, w := range watches {
		if !w.resumes() {
			anew++
		}
	}
	calls := h.ledger.told() - told
	h.t.Logf("%d changes of shards during %d changes of objects: %d calls, %d lists, %d watches, %d of which begin anew", steps,
		written.Load(), calls, len(lists), len(watches), anew)
	if len(lists)+len(questions)+anew != 0 || steps < 2 || written.Load() < 100 {
		h.t.Errorf("%d lists, %d questions, %d changes of shards, %d of objects", len(lists), len(questions), steps, written.Load())
	}
	if int64(calls) > written.Load() {
		h.t.Errorf("the handler was called %d times for %d changes", calls, written.Load())
	}
}

// write changes an object, and returns how often: if the storm is over in the middle of it, once too many.
func (h *hashing) write(ctx context.Context, r *rand.Rand) int64 {
	number := 1000 + r.IntN(manyObjects-1000) // the first are for others
	maps, name := h.client.CoreV1().ConfigMaps(fmt.Sprintf("team-%d", number%teams)), fmt.Sprintf("settings-%05d", number)
	if r.IntN(5) > 0 {
		patch := fmt.Appendf(nil, `{"data":{"storm":"%d"}}`, r.Uint64())
		_, err := maps.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		return unlessGone(err)
	}
	n := unlessGone(maps.Delete(ctx, name, metav1.DeleteOptions{}))
	if n == 1 && r.IntN(2) == 0 { // at once again, and most likely in another shard
		_, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		return 1 + unlessGone(err)
	}
	return n
}

func unlessGone(err error) int64 {
	if apierrors.IsNotFound(err) {
		return 0
	}
	return 1
}

// anyStep changes the shards somehow.
func (h *hashing) anyStep(r *rand.Rand, n int) error {
	shards := h.informer.Shards()
	id := shards[r.IntN(len(shards))].ID
	switch n % 3 {
	case 0:
		_, err := h.informer.Resize(4 + r.IntN(8))
		return err
	case 1:
		return h.informer.Split(id, fmt.Sprintf("%d-a", n), fmt.Sprintf("%d-b", n))
	}
	other := shards[r.IntN(len(shards))].ID
	if other == id {
		return nil
	}
	return h.informer.Merge(id, id, other)
}

// forget has the server be another one from now on, that does not know of hashes, as when a new version is taken back. Its watches
// bring everything, until that is noticed.
func (h *hashing) forget() {
	h.t.Helper()
	h.traffic.oblivious.Store(true)
	if err := h.env.RestartAPIServer(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	h.agree()
	h.change("forgotten")
	settles(h.t, "one stream is left", func() error {
		if open := len(h.traffic.watching()); open != 1 || h.informer.Streams() != 1 {
			return fmt.Errorf("%d watches, %d streams", open, h.informer.Streams())
		}
		return nil
	})
	h.selects = false
	h.agree()
}
