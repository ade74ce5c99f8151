package patch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/types"
	kjson "sigs.k8s.io/json"
)

// The limits of kube-apiserver for one JSON patch.
const (
	maxOperations = 10000
	maxCopied     = 3 << 20 // bytes
)

// patchText does JSON patches and JSON merge patches, which both work on the JSON of the object.
func (p *patcher) patchText(s shape, live runtime.Object, r Request) (runtime.Object, []string, error) {
	strict := strictnessOf(r.FieldValidation)
	before, err := runtime.Encode(s.text(json.SerializerOptions{}), s.named(live))
	if err != nil {
		return nil, nil, err
	}
	change := mergeText
	if r.Type == types.JSONPatchType {
		change = operateText
	}
	after, found, err := change(before, r.Body, strict)
	if err != nil {
		return nil, nil, err
	}
	obj, _, err := s.read(s.text(json.SerializerOptions{Strict: strict.looks()}), after, strict.looks())
	more, err := split(err)
	if err != nil {
		return nil, nil, invalidPatch(string(after), err)
	}
	warnings, err := strict.judge(append(found, more...))
	if err != nil {
		return nil, nil, invalidPatch(string(after), err)
	}
	return obj, warnings, nil
}

// operation is one step of a JSON patch, with all the fields that it may have.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

func operateText(before, body []byte, strict strictness) ([]byte, []error, error) {
	var found []error
	if strict.looks() {
		var operations []operation
		odd, err := kjson.UnmarshalStrict(body, &operations)
		if err != nil {
			// The message names the type, which at kube-apiserver has another name.
			message := strings.ReplaceAll(err.Error(), "patch.operation", "handlers.jsonPatchOp")
			return nil, nil, apierrors.NewBadRequest("error decoding patch: " + message)
		}
		for _, err := range odd {
			found = append(found, fmt.Errorf("json patch %v", err))
		}
	}
	operations, err := jsonpatch.DecodePatch(body)
	if err != nil {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	if len(operations) > maxOperations {
		return nil, nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
			"The allowed maximum operations in a JSON patch is %d, got %d", maxOperations, len(operations)))
	}
	after, err := operate(before, operations)
	if err != nil {
		return nil, nil, unprocessable(err)
	}
	return after, found, nil
}

// operate bounds what copies add, since each may double the document. The library can do so too, but by a variable that
// belongs to the whole process.
func operate(doc []byte, operations jsonpatch.Patch) ([]byte, error) {
	copies := func(o jsonpatch.Operation) bool { return o.Kind() == "copy" }
	if !slices.ContainsFunc(operations, copies) {
		return operations.Apply(doc)
	}
	added := 0
	for _, o := range operations {
		after, err := jsonpatch.Patch{o}.Apply(doc)
		if err != nil {
			return nil, err
		}
		if copies(o) {
			added += max(0, len(after)-len(doc))
		}
		if added > maxCopied {
			return nil, jsonpatch.NewAccumulatedCopySizeError(maxCopied, int64(added))
		}
		doc = after
	}
	return doc, nil
}

func mergeText(before, body []byte, strict strictness) ([]byte, []error, error) {
	var found []error
	if strict.looks() {
		var err error
		if found, err = kjson.UnmarshalStrict(body, &map[string]any{}); err != nil {
			return nil, nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
		}
	}
	after, err := jsonpatch.MergePatch(before, body)
	if errors.Is(err, jsonpatch.ErrBadJSONPatch) {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	return after, found, err
}
