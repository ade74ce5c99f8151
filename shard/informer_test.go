package shard

import (
	"fmt"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/apitest"
)

func TestHash(t *testing.T) {
	for _, selects := range []bool{true, false} {
		t.Run(fmt.Sprintf("selects=%v", selects), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newServer(t, apitest.Config{ShardSelectors: selects})
				w := &world{t: t, server: server}
				for i := range 100 {
					w.create(configMap("default", fmt.Sprintf("c%03d", i), ""))
				}
				w = start(t, server, Config[*corev1.ConfigMap]{Source: Hash(ByUID(), 4)})
				w.check(nil)
				if !w.informer.HasSynced() {
					t.Fatal("not synced")
				}
				for i := range 50 {
					w.change("default", fmt.Sprintf("c%03d", 2*i), func(cm *corev1.ConfigMap) { cm.Data["n"] = "1" })
				}
				for i := range 20 {
					w.remove("default", fmt.Sprintf("c%03d", 3*i))
				}
				w.check(nil)
				want := 1
				if selects {
					want = 4
				}
				if n := w.informer.Streams(); n != want {
					t.Errorf("%d streams, want %d", n, want)
				}
			})
		})
	}
}
