package pool

import (
	"context"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/cache"
)

// Nothing here may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// maker makes informers of a server that has two pods, and counts them.
type maker struct{ made int }

func (m *maker) make() cache.SharedIndexInformer {
	m.made++
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "2"}, Items: []corev1.Pod{pod("a", "1"), pod("b", "2")}}
	return cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) { return list.DeepCopy(), nil },
		WatchFuncWithContext: func(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
			w := watch.NewFakeWithChanSize(3, false)
			if options.SendInitialEvents != nil && *options.SendInitialEvents {
				for i := range list.Items {
					w.Add(list.Items[i].DeepCopy())
				}
				end := pod("", "2")
				end.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
				w.Action(watch.Bookmark, &end)
			}
			return w, nil
		},
	}, &corev1.Pod{}, 0, nil)
}

func pod(name, version string) corev1.Pod {
	return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, ResourceVersion: version}}
}

func newPool(t *testing.T, config Config) *Pool[string] {
	t.Helper()
	p, err := New[string](config)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustRelease(t *testing.T, p *Pool[string]) {
	t.Helper()
	if err := p.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// ended is a context that has.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
