package patch

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"
)

// patchStrategic merges lists by the keys that the Go type, or else the schema, names.
func (p *patcher) patchStrategic(s shape, live runtime.Object, r Request) (runtime.Object, []string, error) {
	strict := strictnessOf(r.FieldValidation)
	before, err := content(live)
	if err != nil {
		return nil, nil, err
	}
	change, found, err := readStrategic(r.Body, strict)
	if err != nil {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	after, err := p.mergeStrategic(s, before, change)
	if err != nil {
		return nil, nil, strategicError(err)
	}
	// As kube-apiserver does: the type decides what the object is, whatever kind the patch may have written.
	obj := s.make()
	more, err := split(fill(obj, after, strict.looks()))
	if err != nil {
		return nil, nil, invalidPatch(fmt.Sprintf("%+v", change), err)
	}
	obj.GetObjectKind().SetGroupVersionKind(s.GroupVersionKind)
	if _, err := settle(s, obj); err != nil {
		return nil, nil, invalidPatch(fmt.Sprintf("%+v", change), err)
	}
	warnings, err := strict.judge(append(found, more...))
	if err != nil {
		return nil, nil, invalidPatch(fmt.Sprintf("%+v", change), err)
	}
	return obj, warnings, nil
}

// content is a copy, which the merge may change.
func content(obj runtime.Object) (map[string]any, error) {
	if u, ok := obj.(runtime.Unstructured); ok {
		return runtime.DeepCopyJSON(u.UnstructuredContent()), nil
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
}

func fill(obj runtime.Object, content map[string]any, strict bool) error {
	if u, ok := obj.(runtime.Unstructured); ok {
		u.SetUnstructuredContent(content)
		return nil
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(content, obj, strict)
}

func readStrategic(body []byte, strict strictness) (change map[string]any, found []error, err error) {
	change = map[string]any{}
	if strict.looks() {
		found, err = kjson.UnmarshalStrict(body, &change)
		return change, found, err
	}
	return change, nil, kjson.UnmarshalCaseSensitivePreserveInts(body, &change)
}

// mergeStrategic turns a panic of the library, which patches with merge keys that are not scalars cause, into an error.
// kube-apiserver aborts the connection then.
func (p *patcher) mergeStrategic(s shape, before, change map[string]any) (after map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the patch cannot be merged: %v", r)
		}
	}()
	example := s.make()
	if _, ok := example.(runtime.Unstructured); !ok {
		return strategicpatch.StrategicMergeMapPatch(before, change, example)
	}
	// CustomResourceDefinitions and APIServices have no Go type here, but a schema.
	merging, err := p.mergeSchema(s)
	if err != nil {
		return nil, err
	}
	return strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(before, change, merging)
}

// strategicError distinguishes a malformed patch from one that does not fit.
func strategicError(err error) error {
	for _, malformed := range []error{
		mergepatch.ErrBadJSONDoc, mergepatch.ErrBadPatchFormatForPrimitiveList, mergepatch.ErrBadPatchFormatForRetainKeys,
		mergepatch.ErrBadPatchFormatForSetElementOrderList, mergepatch.ErrUnsupportedStrategicMergePatchFormat,
	} {
		if errors.Is(err, malformed) {
			return apierrors.NewBadRequest(err.Error())
		}
	}
	if errors.Is(err, mergepatch.ErrNoListOfLists) || errors.Is(err, mergepatch.ErrPatchContentNotMatchRetainKeys) {
		return unprocessable(err)
	}
	return err
}
