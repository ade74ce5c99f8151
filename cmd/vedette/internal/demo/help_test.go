package demo

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/apitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inDemo runs a demo in a bubble for some time, and then calls a function. With cluster, the server counts as a cluster with other users.
func inDemo(t *testing.T, cluster bool, config Config, lasts time.Duration, then func(t *testing.T, d *Demo, server *apitest.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true, ShardSelectors: true})
		if cluster {
			config.REST = server.RESTConfig()
		} else {
			config.Server = server
		}
		d, err := Start(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), lasts)
		defer cancel()
		if err := d.Run(ctx); err != nil {
			t.Error(err)
		}
		then(t, d, server)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

// verdict is that of a demo, which may take so long.
func verdict(t *testing.T, d *Demo, atMost time.Duration) Verdict {
	t.Helper()
	v, err := d.Verdict(t.Context(), atMost, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func newMap(name, version string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, UID: types.UID("uid of " + name), ResourceVersion: version}}
}
