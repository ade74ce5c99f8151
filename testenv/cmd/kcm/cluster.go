package main

import (
	"context"
	"embed"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"vedette.dev/dynamic"
)

//go:embed manifests/*.yaml
var manifests embed.FS

// create creates the objects of a file.
func (s *side) create(ctx context.Context, file string) error {
	data, err := manifests.ReadFile("manifests/" + file)
	if err != nil {
		return err
	}
	objects, err := parseManifest(data)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, o := range objects {
		if _, err := s.resource(o).Create(ctx, o, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("%s: %s %s: %w", file, o.GetKind(), o.GetName(), err)
		}
	}
	return nil
}

func parseManifest(data []byte) (out []*unstructured.Unstructured, err error) {
	for document := range strings.SplitSeq(string(data), "\n---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.UnmarshalStrict([]byte(document), &o.Object); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// resource returns the client for objects of the kind and in the namespace of an object.
func (s *side) resource(o *unstructured.Unstructured) dynamic.ResourceInterface {
	plural, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
	if o.GetNamespace() == "" {
		return s.dynamic.Resource(plural)
	}
	return s.dynamic.Resource(plural).Namespace(o.GetNamespace())
}

// merge sends a strategic merge patch, which changes a container by its name and leaves the rest of it.
func (s *side) merge(ctx context.Context, apiVersion, kind, namespace, name, patch string) error {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	_, err := s.resource(o).Patch(ctx, name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("changing %s %s: %w", kind, name, err)
	}
	return nil
}

// timeout is how long to wait for one thing. After a fault, a controller may wait five minutes for a change that it has made and not seen; so does
// the stock one.
const timeout = 8 * time.Minute

// until waits for a condition. what says for people what it is. The condition returns what it sees if it does not hold yet.
func (s *side) until(ctx context.Context, what string, holds func(ctx context.Context) (string, error)) error {
	const poll, remind = 200 * time.Millisecond, 30 * time.Second
	deadline, next := time.Now().Add(timeout), time.Now().Add(remind)
	for {
		sees, err := holds(ctx)
		if err == nil && sees == "" {
			return nil
		}
		if err != nil {
			sees = err.Error()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w while waiting for: %s; at last: %s", ctx.Err(), what, sees)
		case <-s.manager.process.Done():
			return s.manager.failure()
		case <-time.After(poll):
		}
		if time.Now().After(next) {
			s.say("still waiting for: %s; now: %.200s", what, sees)
			next = time.Now().Add(remind)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("waited %v for: %s; at last: %s", timeout, what, sees)
		}
	}
}

// gone is a condition that an object does not exist.
func gone(_ any, err error) (string, error) {
	switch {
	case err == nil:
		return "it exists", nil
	case apierrors.IsNotFound(err):
		return "", nil
	default:
		return "", err
	}
}
