package apitest_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	typed "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/workqueue"
)

// TestAControllerForADay has a controller write the time into ten config maps, once an hour, for a day, though the server
// cuts connections and forgets the past every twenty minutes. It takes milliseconds.
func TestAControllerForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		client, err := typed.NewForConfig(server.RESTConfig())
		if err != nil {
			t.Fatal(err)
		}
		for n := range 10 {
			if _, err := server.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint("map-", n)}}); err != nil {
				t.Fatal(err)
			}
		}
		c := newHourly(client)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { c.run(ctx) })
		for range 3 * 24 {
			time.Sleep(20 * time.Minute)
			server.Compact()
			server.CutConnections()
		}
		time.Sleep(time.Minute)
		cancel()
		running.Wait()
		for n := range 10 {
			name := fmt.Sprint("map-", n)
			if written := c.written[name]; written < 24 || written > 26 {
				t.Errorf("%s was written %d times in a day", name, written)
			}
		}
	})
}

// hourly is a controller that writes the time.
type hourly struct {
	client   typed.CoreV1Interface
	informer cache.SharedIndexInformer
	queue    workqueue.TypedRateLimitingInterface[cache.ObjectName]
	written  map[string]int
}

func newHourly(client *typed.CoreV1Client) *hourly {
	c := &hourly{
		client:   client,
		informer: cache.NewSharedIndexInformer(cache.NewListWatchFromClient(client.RESTClient(), "configmaps", "default", nil), &corev1.ConfigMap{}, 0, nil),
		queue:    workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
		written:  map[string]int{},
	}
	enqueue := func(obj *corev1.ConfigMap) { c.queue.Add(cache.MetaObjectToName(obj)) }
	_, _ = cache.NewTypedSharedIndexInformer[*corev1.ConfigMap](c.informer).AddTypedEventHandler(
		cache.TypedResourceEventHandlerFuncs[*corev1.ConfigMap]{
			AddFunc:    enqueue,
			UpdateFunc: func(_, obj *corev1.ConfigMap) { enqueue(obj) },
		})
	return c
}

func (c *hourly) run(ctx context.Context) {
	var informing sync.WaitGroup
	informing.Go(func() { c.informer.RunWithContext(ctx) })
	context.AfterFunc(ctx, c.queue.ShutDown)
	for name, quit := c.queue.Get(); !quit; name, quit = c.queue.Get() {
		if err := c.reconcile(ctx, name); err != nil {
			c.queue.AddRateLimited(name)
		} else {
			c.queue.Forget(name)
		}
		c.queue.Done(name)
	}
	informing.Wait()
}

func (c *hourly) reconcile(ctx context.Context, name cache.ObjectName) error {
	obj, exists, err := c.informer.GetStore().GetByKey(name.String())
	if err != nil || !exists {
		return err
	}
	now := time.Now()
	last, err := time.Parse(time.RFC3339, obj.(*corev1.ConfigMap).Data["time"])
	if due := last.Add(time.Hour); err == nil && due.After(now) {
		c.queue.AddAfter(name, due.Sub(now))
		return nil
	}
	fresh := obj.(*corev1.ConfigMap).DeepCopy()
	fresh.Data = map[string]string{"time": now.Format(time.RFC3339)}
	_, err = c.client.ConfigMaps(name.Namespace).Update(ctx, fresh, metav1.UpdateOptions{})
	if err == nil {
		c.written[name.Name]++
	}
	if apierrors.IsConflict(err) {
		return nil // the cache will hear of the newer one
	}
	return err
}
