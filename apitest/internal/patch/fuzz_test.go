package patch

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest/internal/kinds"
)

// FuzzPatch sends any body as any patch: nothing panics, the live object stays as it was, and errors are for clients.
func FuzzPatch(f *testing.F) {
	for _, table := range []string{"patches", "applies", "writes"} {
		var cases []testCase
		readTestdata(f, table+".yaml", &cases)
		for i, c := range cases {
			f.Add([]byte(c.Body), byte(i), c.Sub == "status", c.Validation)
		}
	}
	registry := testRegistry(f)
	p := New(registry)
	var live []fuzzObject
	objects := fuzzObjects(f, registry, p)
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		live = append(live, objects[name])
	}
	f.Fuzz(func(t *testing.T, body []byte, choice byte, status bool, validation string) {
		target := live[int(choice)%len(live)]
		sub := ""
		if status && target.kind.HasStatus() {
			sub = "status"
		}
		types := []string{"json", "merge", "strategic", "apply"}
		before := target.obj.DeepCopyObject()
		_, _, err := p.Patch(target.obj, Request{
			Kind: target.kind, Subresource: sub, Type: patchType(types[int(choice)/len(live)%len(types)]), Body: body,
			Manager: "fuzz", Force: choice >= 128, FieldValidation: validation,
		})
		checkFuzzed(t, err)
		if !reflect.DeepEqual(target.obj, before) {
			t.Error("the live object has changed")
		}
		for _, contentType := range []string{"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"} {
			obj, _, err := p.Decode(target.kind, contentType, body, validation)
			checkFuzzed(t, err)
			if err == nil {
				_, err = p.Track(target.obj, obj, target.kind, sub, "fuzz")
				checkFuzzed(t, err)
			}
		}
	})
}

func checkFuzzed(t *testing.T, err error) {
	t.Helper()
	if _, ok := err.(apierrors.APIStatus); err != nil && !ok {
		t.Errorf("error %v (%T) has no status", err, err)
	}
}

type fuzzObject struct {
	kind *kinds.Kind
	obj  runtime.Object
}

// fuzzObjects are those of testdata, tracked.
func fuzzObjects(t testing.TB, registry *kinds.Registry, p Patcher) map[string]fuzzObject {
	t.Helper()
	objects := map[string]object{}
	readTestdata(t, "objects.yaml", &objects)
	made := map[string]fuzzObject{}
	for name, o := range objects {
		kind := lookup(t, registry, o.Resource)
		data, err := json.Marshal(o.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		obj := kind.New()
		if err := json.Unmarshal(data, obj); err != nil {
			t.Fatal(err)
		}
		made[name] = fuzzObject{kind, mustTrack(t, p, nil, obj, kind, "", "setup")}
	}
	return made
}
