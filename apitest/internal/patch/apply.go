package patch

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// apply does server-side apply, with a body in YAML or JSON.
func (p *patcher) apply(s shape, live runtime.Object, r Request) (runtime.Object, []string, error) {
	if r.Manager == "" {
		return nil, nil, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "PatchOptions"}, "", field.ErrorList{
			field.Required(field.NewPath("fieldManager"), "is required for apply patch"),
		})
	}
	applied := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal(r.Body, &applied.Object); err != nil {
		return nil, nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err))
	}
	if applied.GroupVersionKind() == s.GroupVersionKind && claimsManaged(applied) {
		return nil, nil, apierrors.NewBadRequest("metadata.managedFields must be nil")
	}
	manager, err := p.manager(s, r.Subresource)
	if err != nil {
		return nil, nil, err
	}
	obj, err := manager.Apply(p.base(s, live), applied, r.Manager, r.Force)
	if err != nil {
		return nil, nil, err
	}
	wholeSeconds(obj)
	warnings, err := applyWarnings(r)
	return obj, warnings, err
}

// claimsManaged is asked here, since the field manager, which asks as well, logs it if they are malformed.
func claimsManaged(u *unstructured.Unstructured) bool {
	metadata, _ := u.Object["metadata"].(map[string]any)
	_, ok := metadata["managedFields"].([]any)
	return ok
}

// base is what an apply is merged into. Merging may keep parts of an unstructured object, so it gets a copy.
func (p *patcher) base(s shape, live runtime.Object) runtime.Object {
	if live == nil {
		return s.make()
	}
	if _, ok := live.(runtime.Unstructured); ok {
		live = live.DeepCopyObject()
	}
	return s.named(live)
}

// applyWarnings finds duplicate fields. Unknown ones have made the apply fail before, strict or not.
func applyWarnings(r Request) ([]string, error) {
	strict := strictnessOf(r.FieldValidation)
	if !strict.looks() {
		return nil, nil
	}
	err := yaml.UnmarshalStrict(r.Body, &map[string]any{})
	if err == nil {
		return nil, nil
	}
	if strict == metav1.FieldValidationStrict {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error strict decoding YAML: %v", err))
	}
	return warningsOf([]error{err}), nil
}
