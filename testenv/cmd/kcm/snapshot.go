package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/testenv/internal/clusterdiff"
)

// resources returns all that can be listed, except for what is left out of the comparison.
func (s *side) resources(ctx context.Context) (out []schema.GroupVersionResource, err error) {
	lists, err := s.client.Discovery().ServerPreferredResourcesWithContext(ctx)
	if err != nil {
		return nil, err
	}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, r := range list.APIResources {
			switch {
			case !slices.Contains(r.Verbs, "list"):
			case r.Name == "events": // how many there are, and of how many each is made, depends on the timing
			case r.Name == "componentstatuses": // not stored
			default:
				out = append(out, gv.WithResource(r.Name))
			}
		}
	}
	return out, nil
}

// snapshot returns all objects of the cluster.
func (s *side) snapshot(ctx context.Context) ([]clusterdiff.Object, error) {
	resources, err := s.resources(ctx)
	if err != nil {
		return nil, err
	}
	var out []clusterdiff.Object
	for _, r := range resources {
		list, err := s.dynamic.Resource(r).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("listing %s: %w", r, err)
		}
		for _, item := range list.Items {
			out = append(out, clusterdiff.Object(item.Object))
		}
	}
	return out, nil
}

// quiet returns when nothing has been written for a while, except for the heartbeats of nodes and servers.
func (s *side) quiet(ctx context.Context) error {
	const silence, poll, timeout = 20 * time.Second, 2 * time.Second, 5 * time.Minute
	var last string
	since, deadline := time.Now(), time.Now().Add(timeout)
	for {
		objects, err := s.snapshot(ctx)
		if err != nil {
			return err
		}
		if now := versions(objects); now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) > silence {
			s.objects = objects
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("controllers are still writing after %v", timeout)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(poll):
		}
	}
}

func versions(objects []clusterdiff.Object) string {
	var out strings.Builder
	for _, o := range objects {
		if u := (unstructured.Unstructured{Object: o}); u.GetKind() != "Lease" {
			fmt.Fprintf(&out, "%s %s\n", u.GetUID(), u.GetResourceVersion())
		}
	}
	return out.String()
}
