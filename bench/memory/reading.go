package memory

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/internal/podcache"
	"vedette.dev/bench/pods"
)

// The figures of look-ups.
const (
	unmarshal   = "time of Unmarshal" // of the same pods, in the same process
	toUnmarshal = "time, to Unmarshal's"
)

// hotPods is how many pods are looked up again and again, where they are hot.
const hotPods = 50

// reading looks pods up through the lister, one after the other in a random order. For a packed pod the caller gets a copy of its
// own; with client-go, the caller has to copy it.
type reading struct {
	*podcache.Running
	lister podcache.Lister
	keys   []types.NamespacedName // those that are looked up, over and over
	number []int                  // and which pods they are
	reads  int
	copies bool

	took time.Duration
	err  error
}

// way is how pods are looked up.
type way struct {
	hot    bool // the same few again and again
	copies bool // client-go's side copies what it gets
	reads  int
}

func newReading(c podcache.Config, size int, w way) func(harness.Config) (harness.Trial, error) {
	return func(h harness.Config) (harness.Trial, error) {
		c.Side, c.Pods = h.Side, h.Size(size, leastPods)
		r, err := podcache.PrepareSynced(c)
		if err != nil {
			return nil, err
		}
		t := &reading{Running: r, lister: r.Lister(), reads: h.Size(w.reads, 1000), copies: w.copies && c.Side == harness.ClientGo}
		t.number = rand.New(rand.NewPCG(7, 7)).Perm(c.Pods)
		if w.hot {
			t.number = t.number[:min(hotPods, c.Pods)]
		}
		for _, i := range t.number {
			t.keys = append(t.keys, pods.Key(i))
		}
		if w.hot {
			t.err = t.read(len(t.keys))
		}
		return t, nil
	}
}

func (t *reading) Ops() int { return t.reads }

func (t *reading) Run() {
	began := time.Now()
	t.err = errors.Join(t.err, t.read(t.reads))
	t.took = time.Since(began)
}

func (t *reading) read(n int) error {
	for i := range n {
		key := &t.keys[i%len(t.keys)]
		pod, err := t.lister.Get(key.Namespace, key.Name)
		if err != nil {
			return err
		}
		if t.copies {
			pod = pod.DeepCopy()
		}
		if pod.Name != key.Name {
			return fmt.Errorf("pod %s for %s", pod.Name, key)
		}
	}
	return nil
}

// unmarshal is how long it takes to decode these pods.
func (t *reading) unmarshal() (time.Duration, error) {
	enc, err := pods.NewEncoder(pods.Protobuf)
	if err != nil {
		return 0, err
	}
	var data [][]byte
	for _, i := range t.number[:min(len(t.number), 1000)] {
		data = append(data, enc.Append(nil, i))
	}
	const rounds = 10
	began := time.Now()
	for range rounds {
		for _, d := range data {
			pod := &corev1.Pod{}
			if err := pod.Unmarshal(d); err != nil {
				return 0, err
			}
			if pod.Name == "" {
				return 0, errors.New("a pod without a name")
			}
		}
	}
	return time.Since(began) / time.Duration(rounds*len(data)), nil
}

func (t *reading) Finish() (harness.Sample, error) {
	one, err := t.unmarshal()
	err = errors.Join(t.err, err)
	if err == nil {
		err = t.Check(func(int) int { return 0 })
	}
	return harness.Sample{
		unmarshal:   float64(one),
		toUnmarshal: float64(t.took) / float64(t.reads) / float64(max(1, one)),
	}, errors.Join(err, t.End())
}
