package patch

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"

	"vedette.dev/internal/testsize"
)

// TestMutated puts a wrong value into each place of each patch in turn, which a fuzzer takes long to find.
func TestMutated(t *testing.T) {
	registry := testRegistry(t)
	p := New(registry)
	objects := fuzzObjects(t, registry, p)
	seen := map[string]bool{}
	for _, table := range []string{"patches", "applies"} {
		var cases []testCase
		readTestdata(t, table+".yaml", &cases)
		for _, c := range cases {
			values := wrong[:testsize.Of(len(wrong), 3)]
			if c.Type == "strategic" {
				values = slices.Concat(values, directives)
			}
			mutations([]byte(c.Body), values, func(body []byte) {
				// Mutations of similar patches are often the same.
				if key := c.Type + c.Object + string(body); !seen[key] {
					seen[key] = true
					patchAll(t, p, objects[c.Object], c, body)
				}
			})
		}
	}
}

func patchAll(t *testing.T, p Patcher, target fuzzObject, c testCase, body []byte) {
	t.Helper()
	if target.kind == nil || c.Sub == "scale" {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%s with %s: %v", c.Type, body, r)
		}
	}()
	before := target.obj.DeepCopyObject()
	_, _, err := p.Patch(target.obj, Request{
		Kind: target.kind, Subresource: c.Sub, Type: patchType(c.Type), Body: body, Manager: "m", Force: true, FieldValidation: c.Validation,
	})
	checkFuzzed(t, err)
	if !reflect.DeepEqual(target.obj, before) {
		t.Errorf("%s with %s has changed the live object", c.Type, body)
	}
}

// wrong are values that fit few places.
var wrong = []string{`null`, `-1`, `1.5`, `"x"`, `[]`, `{}`, `[[null]]`, `[{"name":null}]`, `[{"name":{}}]`,
	`[{"name":"main"},{"name":"main"}]`}

// directives are besides wrong where a strategic merge patch has a meaning for them.
var directives = []string{`{"$patch":1}`, `{"$patch":"delete"}`, `{"$retainKeys":[1]}`, `[{"$patch":"replace"}]`, `["a",{"b":1}]`,
	`{"$setElementOrder/containers":1}`, `{"$setElementOrder/containers":[{"name":1}],"containers":[{"name":"x"}]}`,
	`{"$deleteFromPrimitiveList/finalizers":{"a":1}}`, `{"$setElementOrder/finalizers":["a",1],"finalizers":["b"]}`}

// mutations calls f with body, and with body changed in one place.
func mutations(body []byte, values []string, f func([]byte)) {
	f(body)
	var root any
	if yaml.Unmarshal(body, &root) != nil {
		return
	}
	emit := func() {
		if data, err := json.Marshal(root); err == nil {
			f(data)
		}
	}
	descend(root, values, func(v any) { root = v }, emit)
}

func descend(node any, values []string, set func(any), emit func()) {
	for _, w := range values {
		var value any
		if err := json.Unmarshal([]byte(w), &value); err != nil {
			panic(err)
		}
		set(value)
		emit()
	}
	set(node)
	switch n := node.(type) {
	case map[string]any:
		for key, value := range n {
			descend(value, values, func(v any) { n[key] = v }, emit)
		}
	case []any:
		for i, value := range n {
			descend(value, values, func(v any) { n[i] = v }, emit)
		}
	}
}
