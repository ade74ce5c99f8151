package cache

import (
	"context"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// sinkStore is a store that does nothing, and says when it has had enough.
type sinkStore struct {
	left int
	done func()
}

func (s *sinkStore) Add(any) error               { return nil }
func (s *sinkStore) Delete(any) error            { return nil }
func (s *sinkStore) Replace([]any, string) error { return nil }
func (s *sinkStore) Resync() error               { return nil }

func (s *sinkStore) Update(any) error {
	if s.left--; s.left == 0 {
		s.done()
	}
	return nil
}

// pump is a watch that sends the same pods again and again.
type pump struct {
	events chan watch.Event
	stop   chan struct{}
}

func (p *pump) Stop()                          { close(p.stop) }
func (p *pump) ResultChan() <-chan watch.Event { return p.events }

func startPump(buffer int) *pump {
	p := &pump{make(chan watch.Event, buffer), make(chan struct{})}
	pods := make([]*corev1.Pod, 1000)
	for i := range pods {
		pods[i] = pod("default", "p"+strconv.Itoa(i), strconv.Itoa(i+1))
	}
	go func() {
		for i := 0; ; i++ {
			select {
			case p.events <- watch.Event{Type: watch.Modified, Object: pods[i%len(pods)]}:
			case <-p.stop:
				return
			}
		}
	}()
	return p
}

func benchmarkEvents(b *testing.B, buffer int) {
	lw := plainOnly{&ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
		},
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
			return startPump(buffer), nil
		},
	}}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	r := NewReflector(lw, &corev1.Pod{}, &sinkStore{b.N, cancel}, 0)
	b.ReportAllocs()
	b.ResetTimer()
	r.RunWithContext(ctx)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkReflectorEvents(b *testing.B) {
	b.Run("unbuffered", func(b *testing.B) { benchmarkEvents(b, 0) })
	b.Run("buffered", func(b *testing.B) { benchmarkEvents(b, 1000) })
}

// plainOnly is a ListerWatcher that knows lists and watches and nothing else.
type plainOnly struct{ *ListWatch }

func (plainOnly) IsWatchListSemanticsUnSupported() bool { return true }
