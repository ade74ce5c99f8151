package serve

import (
	"fmt"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest/internal/storage"
)

var definitions = storage.Resource(schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"})

// scalePath returns a path of the scale subresource in the definition of a custom kind, such as "specReplicasPath".
func (c *call) scalePath(name string) []string {
	item := c.s.store.Get(definitions, c.kind.Plural+"."+c.kind.Group)
	if item == nil {
		return nil
	}
	definition, ok := item.Object.(*unstructured.Unstructured)
	if !ok {
		return nil
	}
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	for _, version := range versions {
		v, ok := version.(map[string]any)
		if !ok || v["name"] != c.kind.Version {
			continue
		}
		path, _, _ := unstructured.NestedString(v, "subresources", "scale", name)
		if path = strings.TrimPrefix(path, "."); path != "" {
			return strings.Split(path, ".")
		}
	}
	return nil
}

// replicasPath returns the path of spec.replicas.
func (c *call) replicasPath() []string {
	if !c.kind.Custom {
		return []string{"spec", "replicas"}
	}
	return c.scalePath("specReplicasPath")
}

func (c *call) customScale(scale *autoscalingv1.Scale, u *unstructured.Unstructured, change bool) (*autoscalingv1.Scale, error) {
	path := c.replicasPath()
	wanted, found, err := unstructured.NestedInt64(u.Object, path...)
	if err != nil || !found && !change {
		return nil, apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", "."+strings.Join(path, ".")))
	}
	scale.Spec.Replicas = int32(wanted)
	have, _, _ := unstructured.NestedInt64(u.Object, c.scalePath("statusReplicasPath")...)
	scale.Status.Replicas = int32(have)
	if selector := c.scalePath("labelSelectorPath"); selector != nil {
		scale.Status.Selector, _, _ = unstructured.NestedString(u.Object, selector...)
	}
	return scale, nil
}

func (c *call) setCustomReplicas(u *unstructured.Unstructured, replicas int32) error {
	path := c.replicasPath()
	if old, _, _ := unstructured.NestedInt64(u.Object, path...); old != int64(replicas) {
		u.SetGeneration(u.GetGeneration() + 1)
	}
	return unstructured.SetNestedField(u.Object, int64(replicas), path...)
}
