package cache

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/internal/testsize"
)

const hammerKeys = 2000

// TestHammerTheIndexer lets writers, relists, readers and new indexes at one store. Each reader checks that what it got
// fits together; at the end so must everything.
func TestHammerTheIndexer(t *testing.T) {
	h := &indexerHammer{t: t, s: NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc, "app": byApp})}
	h.replace(0)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { h.loop(uint64(i), h.write) })
		wg.Go(func() { h.loop(uint64(100+i), h.read) })
	}
	wg.Go(func() { h.loop(200, func(r *rand.Rand) { h.replace(r.IntN(10)); time.Sleep(time.Millisecond) }) })
	wg.Go(func() {
		for i := range 20 {
			name := fmt.Sprint("late", i)
			if err := h.s.AddIndexers(Indexers{name: byApp}); err != nil {
				t.Error(err)
			}
			h.complete(name)
			time.Sleep(10 * time.Millisecond)
		}
	})
	time.Sleep(testsize.Of(time.Second, 200*time.Millisecond))
	h.stop.Store(true)
	wg.Wait()
	mustNot(t, h.s.(*cache).table.Verify())
}

type indexerHammer struct {
	t    *testing.T
	s    Indexer
	stop atomic.Bool
}

func (h *indexerHammer) loop(seed uint64, step func(*rand.Rand)) {
	r := rand.New(rand.NewPCG(seed, 0))
	for !h.stop.Load() && !h.t.Failed() {
		step(r)
	}
}

// hammerPod is filed under the same value in the indexes and in its annotation, which readers compare.
func hammerPod(i, app int) *corev1.Pod {
	p := labelled(pod(fmt.Sprint("ns", i%7), strconv.Itoa(i), strconv.Itoa(app+1)), "app", fmt.Sprint("app", app))
	return p
}

func (h *indexerHammer) note(err error) {
	if err != nil {
		h.t.Error(err)
	}
}

func (h *indexerHammer) write(r *rand.Rand) {
	i, app := r.IntN(hammerKeys), r.IntN(10)
	switch r.IntN(10) {
	case 0:
		h.note(h.s.Delete(hammerPod(i, app)))
	case 1: // the two of a pair always change together
		txns := []Transaction{{hammerPod(i|1, app), TransactionTypeUpdate}, {hammerPod(i&^1, app), TransactionTypeUpdate}}
		if err := h.s.(TransactionStore).Transaction(txns...); err != nil {
			h.t.Error(err)
		}
	default:
		h.note(h.s.Update(hammerPod(i, app)))
	}
}

func (h *indexerHammer) replace(app int) {
	list := make([]any, hammerKeys)
	for i := range list {
		list[i] = hammerPod(i, app)
	}
	h.note(h.s.Replace(list, "1"))
}

func (h *indexerHammer) read(r *rand.Rand) {
	app := fmt.Sprint("app", r.IntN(10))
	switch r.IntN(6) {
	case 0:
		h.distinct(h.s.List())
	case 1:
		list, err := h.s.ByIndex("app", app)
		h.note(err)
		h.distinct(list)
		for _, obj := range list {
			if got := obj.(*corev1.Pod).Labels["app"]; got != app {
				h.t.Errorf("a pod of %s under %s", got, app)
			}
		}
	case 2:
		_, err := NewTypedLister[*corev1.Pod](h.s, pods).ByNamespace("ns1").List(labels.SelectorFromSet(labels.Set{"app": app}))
		h.note(err)
	case 3:
		_, err := h.s.IndexKeys(NamespaceIndex, "ns2")
		h.note(err)
		_ = h.s.ListKeys()
		_ = h.s.ListIndexFuncValues("app")
	default:
		i := r.IntN(hammerKeys)
		key := fmt.Sprintf("ns%d/%d", i%7, i)
		if obj, ok, _ := h.s.GetByKey(key); ok && obj.(*corev1.Pod).Name != strconv.Itoa(i) {
			h.t.Errorf("%s under %s", obj.(*corev1.Pod).Name, key)
		}
	}
}

// distinct fails if an object is in a list twice, or a relist is there by half.
func (h *indexerHammer) distinct(list []any) {
	seen := make(map[string]bool, len(list))
	for _, obj := range list {
		name := obj.(*corev1.Pod).Name
		if seen[name] {
			h.t.Errorf("%s is there twice", name)
		}
		seen[name] = true
	}
}

// complete fails if an index that was added does not hold everything. Writers go on meanwhile, and a relist may move all
// objects from a value that was not asked for yet to one that was: then it asks again.
func (h *indexerHammer) complete(name string) {
	total := 0
	for range 20 {
		total = 0
		for i := range 10 {
			list, err := h.s.ByIndex(name, fmt.Sprint("app", i))
			h.note(err)
			total += len(list)
		}
		if total >= hammerKeys/4 {
			return
		}
	}
	h.t.Errorf("%d objects in index %s", total, name)
}

// TestARelistIsSeenAsAWhole replaces everything by objects of one generation, again and again.
func TestARelistIsSeenAsAWhole(t *testing.T) {
	h := &indexerHammer{t: t, s: NewIndexer(MetaNamespaceKeyFunc, Indexers{"app": byApp})}
	h.replace(0)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for !h.stop.Load() {
				list := h.s.List()
				for _, obj := range list {
					if len(list) != hammerKeys || obj.(*corev1.Pod).Labels["app"] != list[0].(*corev1.Pod).Labels["app"] {
						t.Error("half of a relist")
						return
					}
				}
			}
		})
	}
	for i := range testsize.Of(60, 10) {
		if i%2 == 0 {
			h.replace(i)
			continue
		}
		txns := make([]Transaction, hammerKeys)
		for k := range txns {
			txns[k] = Transaction{hammerPod(k, i), TransactionTypeUpdate}
		}
		if err := h.s.(TransactionStore).Transaction(txns...); err != nil {
			t.Error(err)
		}
	}
	h.stop.Store(true)
	wg.Wait()
}

// TestHammerTheQueue has writers and a relister push into a bounded queue, and one consumer apply what it takes out: in the end the
// store is what was written.
func TestHammerTheQueue(t *testing.T) {
	store := NewStore(DeletionHandlingMetaNamespaceKeyFunc)
	f := NewDeltaFIFOWithOptions(DeltaFIFOOptions{KnownObjects: store, EmitDeltaTypeReplaced: true, MaxPending: 100})
	var consumer, writers sync.WaitGroup
	consumer.Go(func() {
		for {
			if _, err := f.Pop(func(obj any, _ bool) error { return applyDeltas(store, obj.(Deltas)) }); errors.Is(err, ErrFIFOClosed) {
				return
			} else if err != nil {
				t.Error(err)
			}
		}
	})
	const width, keys = 4, 50
	for w := range width {
		writers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 0))
			for i := range 5000 {
				p := pod("", fmt.Sprint(w, "-", r.IntN(keys)), strconv.Itoa(i))
				if r.IntN(4) == 0 {
					mustNot(t, f.Delete(p))
				} else {
					mustNot(t, f.Update(p))
				}
				if r.IntN(500) == 0 {
					mustNot(t, f.Resync())
				}
			}
			for k := range keys {
				mustNot(t, f.Update(pod("", fmt.Sprint(w, "-", k), "last")))
			}
		})
	}
	writers.Wait()
	f.Close()
	consumer.Wait()
	wantEqual(t, "objects", len(store.List()), width*keys)
	for _, obj := range store.List() {
		wantEqual(t, "version", obj.(*corev1.Pod).ResourceVersion, "last")
	}
	mustNot(t, f.verify())
}

func applyDeltas(store Store, deltas Deltas) error {
	for _, d := range deltas {
		write := store.Update
		if d.Type == Deleted {
			write = store.Delete
		}
		if err := write(d.Object); err != nil {
			return err
		}
	}
	return nil
}
