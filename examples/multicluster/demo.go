package main

import (
	"context"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/rest"
)

// demo runs the program on two API servers in this process, and stops one of them for a while.
func demo(ctx context.Context, config apitest.Config, out io.Writer) error {
	servers, configs := map[string]*apitest.Server{}, map[string]*rest.Config{}
	for _, cluster := range []string{"east", "west"} {
		server, err := apitest.Start(config)
		if err != nil {
			return err
		}
		defer server.Close()
		servers[cluster], configs[cluster] = server, server.RESTConfig()
		configs[cluster].QPS = -1 // the servers are our own
	}
	p, err := newProgram(configs)
	if err != nil {
		return err
	}
	d := &demonstration{p, servers, out}
	return p.run(ctx, d.run)
}

type demonstration struct {
	*program
	servers map[string]*apitest.Server
	out     io.Writer
}

func (d *demonstration) run(ctx context.Context) error {
	if err := d.addPods(ctx, "web", 50); err != nil {
		return err
	}
	if err := d.show(ctx, "50 pods in each cluster", time.Second); err != nil {
		return err
	}
	west := d.servers["west"]
	west.RefuseConnections()
	west.CutConnections()
	if err := d.addPods(ctx, "more", 10); err != nil {
		return err
	}
	if err := d.show(ctx, "10 more in each, and west is down", time.Second); err != nil {
		return err
	}
	explanation, err := d.pods.ExplainString("west|default/more-0")
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "  why is %s not labelled? %s\n", explanation.Key, explanation.Stage)
	if err := west.AcceptConnections(); err != nil {
		return err
	}
	return d.show(ctx, "west is up again", 3*time.Second)
}

// addPods adds pods to the servers, including one that cannot be reached.
func (d *demonstration) addPods(ctx context.Context, name string, n int) error {
	for _, server := range d.servers {
		for i := range n {
			_, err := server.Create(ctx, &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint(name, "-", i)},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web"}}},
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// show prints the current state, after a while.
func (d *demonstration) show(ctx context.Context, title string, after time.Duration) error {
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(after):
	}
	fmt.Fprintln(d.out, title)
	for _, s := range d.informer.Shards() {
		pods, _, err := d.servers[s.ID].List(ctx, schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "")
		if err != nil {
			return err
		}
		labelled := 0
		for _, pod := range pods {
			if pod.(*corev1.Pod).Labels[label] == s.ID {
				labelled++
			}
		}
		state := "well"
		if err := s.Err(); err != nil {
			state = s.Phase.String() + ", because it cannot be reached"
		}
		fmt.Fprintf(d.out, "  %s: %d of %d pods are labelled; the shard has %d and is %s\n", s.ID, labelled, len(pods), s.Objects, state)
	}
	return nil
}
