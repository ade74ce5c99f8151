package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/rest"
)

const want = `50 pods in each cluster
  east: 50 of 50 pods are labelled; the shard has 50 and is well
  west: 50 of 50 pods are labelled; the shard has 50 and is well
10 more in each, and west is down
  east: 60 of 60 pods are labelled; the shard has 60 and is well
  west: 50 of 60 pods are labelled; the shard has 50 and is backing off, because it cannot be reached
  why is west|default/more-0 not labelled? not watched
west is up again
  east: 60 of 60 pods are labelled; the shard has 60 and is well
  west: 60 of 60 pods are labelled; the shard has 60 and is well
`

func TestTwoClusters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		if err := demo(t.Context(), apitest.Config{InMemory: true}, &out); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("it printed\n%s", out.String())
		}
	})
}

// A cluster that is down from the beginning keeps the others from nothing. What was deleted in one that was down is heard of,
// under its key.
func TestAClusterThatIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		east, west := apitest.New(t, apitest.Config{InMemory: true}), apitest.New(t, apitest.Config{InMemory: true})
		p, err := newProgram(map[string]*rest.Config{"east": east.RESTConfig(), "west": west.RESTConfig()})
		if err != nil {
			t.Fatal(err)
		}
		d := &demonstration{p, map[string]*apitest.Server{"east": east, "west": west}, io.Discard}
		west.RefuseConnections()
		if err := d.addPods(t.Context(), "web", 3); err != nil {
			t.Fatal(err)
		}
		err = p.run(t.Context(), func(ctx context.Context) error {
			time.Sleep(2 * syncTimeout)
			expect(t, d, "east: 3 of 3 pods", "west: 0 of 3 pods")
			d.up(t, west)
			expect(t, d, "east: 3 of 3 pods", "west: 3 of 3 pods")
			west.RefuseConnections()
			west.CutConnections()
			gone := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web-1"}}
			now := int64(0)
			if err := west.Delete(ctx, gone, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
				t.Error(err)
			}
			west.Compact() // so that it has to be listed anew
			d.up(t, west)
			expect(t, d, "east: 3 of 3 pods", "west: 2 of 2 pods")
			explanation, err := p.pods.ExplainString("west|default/web-1")
			if err != nil || !strings.Contains(explanation.String(), "deleted") {
				t.Errorf("%v, %v", explanation, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func (d *demonstration) up(t *testing.T, server *apitest.Server) {
	t.Helper()
	if err := server.AcceptConnections(); err != nil {
		t.Error(err)
	}
	time.Sleep(2 * time.Minute)
}

// expect looks for texts in what is shown.
func expect(t *testing.T, d *demonstration, texts ...string) {
	t.Helper()
	var out bytes.Buffer
	d.out = &out
	if err := d.show(t.Context(), "", 0); err != nil {
		t.Error(err)
	}
	for _, text := range texts {
		if !strings.Contains(out.String(), text) {
			t.Errorf("want %q:\n%s", text, out.String())
		}
	}
}
