package cache_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
)

// change makes, changes or deletes a config map.
func change(t *testing.T, server *apitest.Server, i int, value string) {
	t.Helper()
	obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("m%03d", i)}, Data: map[string]string{"value": value}}
	_, err := server.Get(t.Context(), configMaps, obj.Namespace, obj.Name)
	switch {
	case err != nil:
		_, err = server.Create(t.Context(), obj)
	case i%3 == 0:
		err = server.Delete(t.Context(), obj, metav1.DeleteOptions{})
	default:
		_, err = server.Update(t.Context(), obj)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// settle waits for some seconds and compares the store with the server.
func settle(t *testing.T, server *apitest.Server, store cache.Store) {
	t.Helper()
	time.Sleep(5 * time.Second)
	synctest.Wait()
	objs, _, err := server.List(t.Context(), configMaps, "")
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[string]string{}, map[string]string{}
	for _, obj := range objs {
		m := obj.(metav1.Object)
		want[m.GetName()] = m.GetResourceVersion()
	}
	for _, obj := range store.List() {
		m := obj.(metav1.Object)
		got[m.GetName()] = m.GetResourceVersion()
	}
	if !maps.Equal(got, want) {
		t.Fatalf("the store has\n%v\nthe server\n%v", got, want)
	}
}

// cutter can cut all connections.
type cutter struct {
	dial  func(ctx context.Context, network, address string) (net.Conn, error)
	mu    sync.Mutex
	conns []net.Conn
}

func (c *cutter) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.dial(ctx, network, address)
	if err == nil {
		c.mu.Lock()
		c.conns = append(c.conns, conn)
		c.mu.Unlock()
	}
	return conn, err
}

func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.conns = nil
}
