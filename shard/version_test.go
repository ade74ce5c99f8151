package shard

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/apitest"
	"vedette.dev/rest"
)

// StoreVersionOf is about one object: other shards may be ahead, and so may be what waits in the shard of the object.
func TestStoreVersionOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		w := start(t, server, Config[*corev1.ConfigMap]{Source: Shards(
			Shard{ID: "a", Scope: Scope{Namespaces: []string{"one"}}, Limits: Limits{EventsPerSecond: 1}},
			Shard{ID: "b", Scope: Scope{Namespaces: []string{"two"}}})})
		synctest.Wait()
		at := func(key string) string {
			version, watched := w.informer.StoreVersionOf(key)
			if !watched {
				return "not watched"
			}
			return version
		}
		check := func(what, key, want string) {
			t.Helper()
			if got := at(key); got != want {
				t.Errorf("%s: %s is at %q, want %q", what, key, got, want)
			}
		}
		listed := at("one/x")
		if listed == "" || listed != at("two/x") {
			t.Fatalf("%q and %q after the first list", listed, at("two/x"))
		}
		check("no shard", "three/x", "not watched")
		check("no cluster", "east|one/x", "not watched")
		w.create(configMap("two", "x", ""))
		synctest.Wait()
		ahead := server.ResourceVersion()
		check("of another shard", "one/x", listed)
		check("applied", "two/x", ahead)
		for _, name := range []string{"x", "y", "z"} {
			w.create(configMap("one", name, ""))
		}
		synctest.Wait()
		check("waiting", "one/z", "")
		check("of another shard", "two/x", ahead)
		check("of another object", "one/other", server.ResourceVersion())
		time.Sleep(3 * time.Second)
		synctest.Wait()
		check("applied", "one/z", server.ResourceVersion())
	})
}

// A key in a cluster is asked for in that cluster.
func TestStoreVersionOfAKeyInACluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		east, west := newServer(t, apitest.Config{}), newServer(t, apitest.Config{})
		w := start(t, east, Config[*corev1.ConfigMap]{Source: Clusters(map[string]*rest.Config{"east": east.RESTConfig(), "west": west.RESTConfig()})})
		synctest.Wait()
		for range 3 {
			w.create(configMap("one", "x", ""))
			w.remove("one", "x")
		}
		synctest.Wait()
		ahead, _ := w.informer.StoreVersionOf("east|one/x")
		behind, _ := w.informer.StoreVersionOf("west|one/x")
		if ahead != east.ResourceVersion() || behind == "" || behind == ahead {
			t.Errorf("%q and %q", ahead, behind)
		}
		for _, key := range []string{"one/x", "north|one/x"} {
			if version, watched := w.informer.StoreVersionOf(key); version != "" || watched {
				t.Errorf("%s is at %q", key, version)
			}
		}
	})
}
