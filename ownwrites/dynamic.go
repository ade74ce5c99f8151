package ownwrites

import (
	"context"
	"encoding/json"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/dynamic"
)

// Dynamic returns a dynamic client of one resource that records its writes in a tracker, in all namespaces. It is like
// Client, for unstructured objects.
//
//	pods := ownwrites.Dynamic(client.Resource(gvr), tracker).Namespace("default")
func Dynamic(client dynamic.NamespaceableResourceInterface, tracker *Tracker) dynamic.NamespaceableResourceInterface {
	return dynamicResource{dynamicClient: newDynamic(client, "", tracker), all: client}
}

type dynamicResource struct {
	dynamicClient
	all dynamic.NamespaceableResourceInterface
}

func (r dynamicResource) Namespace(namespace string) dynamic.ResourceInterface {
	return newDynamic(r.all.Namespace(namespace), namespace, r.w.t)
}

type dynamicClient struct {
	dynamic.ResourceInterface
	w writer
}

func newDynamic(client dynamic.ResourceInterface, namespace string, tracker *Tracker) dynamicClient {
	return dynamicClient{client, writer{
		t:         tracker,
		namespace: namespace,
		version: func(ctx context.Context) (string, error) {
			list, err := client.List(ctx, metav1.ListOptions{Limit: 1})
			return listVersion(list, err)
		},
	}}
}

type object = *unstructured.Unstructured

func (c dynamicClient) Create(ctx context.Context, obj object, opts metav1.CreateOptions, subresources ...string) (object, error) {
	send := func() (object, error) { return c.ResourceInterface.Create(ctx, obj, opts, subresources...) }
	if len(subresources) > 0 {
		return send()
	}
	return write(c.w, c.w.created(obj), opts.DryRun, send)
}

func (c dynamicClient) Update(ctx context.Context, obj object, opts metav1.UpdateOptions, subresources ...string) (object, error) {
	send := func() (object, error) { return c.ResourceInterface.Update(ctx, obj, opts, subresources...) }
	if !recordable(subresources) {
		return send()
	}
	return write(c.w, c.w.updated(obj), opts.DryRun, send)
}

func (c dynamicClient) UpdateStatus(ctx context.Context, obj object, opts metav1.UpdateOptions) (object, error) {
	return write(c.w, c.w.updated(obj), opts.DryRun, func() (object, error) { return c.ResourceInterface.UpdateStatus(ctx, obj, opts) })
}

func (c dynamicClient) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, opts metav1.PatchOptions, subresources ...string) (object, error) {
	send := func(data []byte) (object, error) {
		return c.ResourceInterface.Patch(ctx, name, pt, data, opts, subresources...)
	}
	if !recordable(subresources) {
		return send(data)
	}
	return patch(c.w, name, pt, data, opts.DryRun, send)
}

func (c dynamicClient) Apply(ctx context.Context, name string, obj object, opts metav1.ApplyOptions, subresources ...string) (object, error) {
	send := func(obj object) (object, error) {
		return c.ResourceInterface.Apply(ctx, name, obj, opts, subresources...)
	}
	if !recordable(subresources) {
		return send(obj)
	}
	return applyObject(c.w, name, obj, opts, send)
}

func (c dynamicClient) ApplyStatus(ctx context.Context, name string, obj object, opts metav1.ApplyOptions) (object, error) {
	return applyObject(c.w, name, obj, opts, func(obj object) (object, error) {
		return c.ResourceInterface.ApplyStatus(ctx, name, obj, opts)
	})
}

// applyObject is like patch, for an apply with an unstructured object.
func applyObject(w writer, name string, obj object, opts metav1.ApplyOptions, send func(obj object) (object, error)) (object, error) {
	if obj == nil {
		return send(obj) // the client reports the error
	}
	data, err := json.Marshal(obj.Object)
	if err != nil {
		return send(obj)
	}
	return patch(w, name, types.ApplyPatchType, data, opts.DryRun, func(changed []byte) (object, error) {
		version := versionIn(changed)
		if version == obj.GetResourceVersion() {
			return send(obj)
		}
		return send(lockedCopy(obj, version))
	})
}

// lockedCopy returns a copy of an object with a resource version. It copies no more than it changes: an object that a
// caller built by hand may have types for which DeepCopy panics.
func lockedCopy(obj object, version string) object {
	content := maps.Clone(obj.Object)
	metadata, _ := content["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["resourceVersion"] = version
	content["metadata"] = metadata
	return &unstructured.Unstructured{Object: content}
}

func (c dynamicClient) Delete(ctx context.Context, name string, opts metav1.DeleteOptions, subresources ...string) error {
	if len(subresources) > 0 {
		return c.ResourceInterface.Delete(ctx, name, opts, subresources...)
	}
	d, ok := c.ResourceInterface.(interface {
		DeleteAnswer(ctx context.Context, name string, opts metav1.DeleteOptions, subresources ...string) (runtime.Object, error)
	})
	if !ok {
		return c.w.silently(c.ResourceInterface.Delete(ctx, name, opts), name)
	}
	return c.w.delete(ctx, name, opts, func() (runtime.Object, error) { return d.DeleteAnswer(ctx, name, opts) })
}
